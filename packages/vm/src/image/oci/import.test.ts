import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { DrydockError } from "@drydock/evidence";
import { temporaryDirectory } from "@drydock/testkit";
import { openStore } from "../../store/index.js";
import { silent } from "../progress.js";
import { type ArchiveLimits, DEFAULT_LIMITS } from "../tar/limits.js";
import { extractErofs, inspectInode, listing, type Seen } from "../testing/erofs.js";
import {
  dockerSave,
  gzipLayer,
  type ImageOptions,
  type Members,
  ociLayout,
  plainLayer,
  type TestLayer,
  writeArchive,
  writeDirectory,
} from "../testing/oci.js";
import { pax, type TestEntry, tarOf } from "../testing/tar.js";
import { importRoot } from "./import.js";

const layer = (...entries: TestEntry[]): TestLayer => gzipLayer(tarOf(entries));
const dir = (name: string): TestEntry => ({ name, type: "5", mode: 0o755 });
const file = (name: string, content = name): TestEntry => ({ name, content });

interface Imported {
  readonly inspect: (path: string) => { readonly links: number; readonly mode: number };
  readonly files: Map<string, Seen>;
}

const importMembers = async (
  t: TestContext,
  members: Members,
  limits: ArchiveLimits = DEFAULT_LIMITS,
): Promise<Imported> => {
  const work = temporaryDirectory(t);
  const path = writeArchive(join(work, "image.tar"), members);
  const store = openStore(join(work, "store"));
  try {
    const { root } = await importRoot({ store, report: silent }, { path, name: "test", limits });
    return {
      inspect: (path) => inspectInode(store, root, path),
      files: listing(extractErofs(store, root, join(work, "out"))),
    };
  } finally {
    assert.deepEqual(readdirSync(store.tmp), [], "nothing is left in the scratch folder");
  }
};

const importLayers = (t: TestContext, layers: readonly TestLayer[], options?: ImageOptions) =>
  importMembers(t, ociLayout(layers, options));

const refuses = async (code: string, what: Promise<unknown>, text?: RegExp): Promise<void> => {
  await assert.rejects(what, (error: unknown) => {
    assert.ok(error instanceof DrydockError, String((error as Error).stack));
    assert.equal(error.code, code, error.message);
    if (text !== undefined) assert.match(error.message, text);
    return true;
  });
};

test("layers become one root file system with owners, modes, times, links and setuid", async (t) => {
  const { files, inspect } = await importLayers(t, [
    layer(
      dir("./"),
      dir("bin/"),
      { name: "bin/su", content: "setuid", mode: 0o4755, uid: 0, gid: 5, mtime: 1_234_567_890 },
      { name: "bin/other", type: "1", link: "bin/su" },
      { name: "bin/sh", type: "2", link: "/bin/su" },
      file("etc/implicit", "parent made"),
    ),
    layer({ name: "srv/own", content: "x".repeat(9000), uid: 1234, gid: 65_533 }),
  ]);
  const su = files.get("/bin/su");
  assert.deepEqual([su?.gid, su?.mtime, su?.content], [5, 1_234_567_890, "setuid"]);
  assert.deepEqual(inspect("/bin/su"), { links: 2, mode: 0o4755 });
  assert.equal(files.get("/bin/sh")?.content, "/bin/su");
  assert.equal(files.get("/etc/implicit")?.content, "parent made");
  assert.equal(files.get("/srv/own")?.content.length, 9000);
  assert.deepEqual([files.get("/srv/own")?.uid, files.get("/srv/own")?.gid], [1234, 65_533]);
  for (const path of ["/proc", "/sys", "/dev", "/run", "/tmp", "/work"]) {
    assert.equal(files.get(path)?.kind, "directory", path);
  }
});

test("a layout directory, its archive and a docker-save archive give the same root", async (t) => {
  const work = temporaryDirectory(t);
  const store = openStore(join(work, "store"));
  const layers = [layer(dir("a/"), file("a/b")), plainLayer(tarOf([file("c")]))];
  const paths = [
    writeDirectory(join(work, "layout"), ociLayout(layers)),
    writeArchive(join(work, "oci.tar"), ociLayout(layers)),
    writeArchive(join(work, "docker.tar"), dockerSave(layers)),
  ];
  const results = [];
  for (const path of paths) {
    results.push(await importRoot({ store, report: silent }, { path, name: "test" }));
  }
  assert.equal(new Set(results.map(({ root }) => root.digest)).size, 1);
  assert.deepEqual(
    results.map(({ source }) => source.format),
    ["oci-layout", "oci-layout", "docker-archive"],
  );
  assert.deepEqual(results[0]?.config, {
    env: ["PATH=/bin"],
    user: "7",
    workingDir: "/srv",
    entrypoint: [],
    cmd: ["sh"],
  });
});

test("an archive that GNU tar made is read", async (t) => {
  const work = temporaryDirectory(t);
  const tree = join(work, "tree");
  mkdirSync(join(tree, "d".repeat(60), "e".repeat(60)), { recursive: true });
  writeFileSync(join(tree, "d".repeat(60), "e".repeat(60), "f".repeat(90)), "long");
  writeFileSync(join(tree, "ünïcode"), "name");
  for (const format of ["gnu", "pax", "ustar"]) {
    const tar = execFileSync("tar", [`--format=${format}`, "-C", tree, "-cf", "-", "."]);
    const { files } = await importLayers(t, [gzipLayer(tar)]);
    const long = `/${"d".repeat(60)}/${"e".repeat(60)}/${"f".repeat(90)}`;
    assert.equal(files.get(long)?.content, "long", format);
    assert.equal(files.get("/ünïcode")?.content, "name", format);
  }
});

test("a zstd layer is read, and a damaged one refused", async (t) => {
  const tar = tarOf([file("z", "z".repeat(100_000))]);
  const blob = execFileSync("zstd", ["-q", "-c"], { input: tar });
  const mediaType = "application/vnd.oci.image.layer.v1.tar+zstd";
  const { files } = await importLayers(t, [{ tar, blob, mediaType }]);
  assert.equal(files.get("/z")?.content.length, 100_000);
  const cut = blob.subarray(0, blob.length - 5);
  await refuses("IMAGE_FORMAT", importLayers(t, [{ tar, blob: cut, mediaType }]));
});

test("paths that escape are refused, their plain spelling is not", async (t) => {
  const { files } = await importLayers(t, [layer(file("etc/passwd"), file("..a/b..c"))]);
  assert.ok(files.has("/etc/passwd") && files.has("/..a/b..c"));
  for (const name of [
    "../etc/passwd",
    "a/../../etc/passwd",
    "a/..",
    "/etc/passwd",
    "//etc/passwd",
    "./../x",
    "a//b",
    "a/./b",
  ]) {
    await refuses("IMAGE_PATH", importLayers(t, [layer(file(name))]));
  }
  await refuses("IMAGE_PATH", importLayers(t, [layer(pax({ path: "../x" }), file("y"))]));
  await refuses("IMAGE_PATH", importLayers(t, [layer({ name: "./", type: "2", link: "/etc" })]));
});

test("entries below links are refused, below directories not", async (t) => {
  await importLayers(t, [layer(dir("d/")), layer(file("d/x"))]);
  for (const link of ["/etc", "../../etc", "real"]) {
    const planted: TestEntry = { name: "d", type: "2", link };
    await refuses("IMAGE_LINK", importLayers(t, [layer(dir("real/"), planted, file("d/x"))]));
    await refuses(
      "IMAGE_LINK",
      importLayers(t, [layer(dir("real/"), planted), layer(file("d/x"))]),
    );
    await refuses("IMAGE_LINK", importLayers(t, [layer(planted), layer(dir("d/e/"))]));
  }
  await refuses("IMAGE_LINK", importLayers(t, [layer(file("d")), layer(file("d/x"))]));
});

test("hard links leave neither the image nor its files", async (t) => {
  await importLayers(t, [layer(file("a")), layer({ name: "b", type: "1", link: "a" })]);
  const outside = ["../../etc/shadow", "/etc/shadow"];
  for (const link of outside) {
    await refuses("IMAGE_PATH", importLayers(t, [layer({ name: "b", type: "1", link })]));
  }
  const planted: TestEntry = { name: "l", type: "2", link: "/etc" };
  for (const link of ["l/shadow", "l", "missing"]) {
    await refuses("IMAGE_LINK", importLayers(t, [layer(planted, { name: "b", type: "1", link })]));
  }
  await refuses(
    "IMAGE_LINK",
    importLayers(t, [layer(dir("d/"), { name: "b", type: "1", link: "d" })]),
  );
});

test("devices and fifos are refused, a file of that name is not", async (t) => {
  await importLayers(t, [layer(file("dev/null"))]);
  for (const type of ["3", "4", "6"]) {
    await refuses("IMAGE_DEVICE", importLayers(t, [layer({ name: "dev/null", type })]));
  }
  await refuses("IMAGE_FORMAT", importLayers(t, [layer({ name: "sparse", type: "S" })]));
});

test("whiteouts hide what is below them and only that", async (t) => {
  const below = layer(dir("d/"), file("d/a"), file("d/b"), dir("o/"), file("o/old"), file("top"));
  const above = layer(
    { name: "d/.wh.a", content: "" },
    file("o/new"),
    { name: "o/.wh..wh..opq", content: "" },
    { name: ".wh.top", content: "" },
    { name: "absent/.wh.x", content: "" },
  );
  const { files } = await importLayers(t, [below, above]);
  assert.deepEqual(
    ["/d/a", "/d/b", "/o/old", "/o/new", "/top"].map((path) => files.has(path)),
    [false, true, false, true, false],
  );
  assert.ok(![...files.keys()].some((path) => path.includes(".wh.")));
  const again = await importLayers(t, [below, above, layer(file("d/a", "back"))]);
  assert.equal(again.files.get("/d/a")?.content, "back");
});

test("whiteout tricks are refused", async (t) => {
  const below = layer(dir("d/"), file("d/a"));
  const whiteout = (name: string): TestEntry => ({ name, content: "" });
  await importLayers(t, [below, layer(whiteout("d/.wh.a"))]);
  for (const name of [
    ".wh.",
    "d/.wh.",
    ".wh..",
    "d/.wh..",
    ".wh...",
    "d/.wh...",
    ".wh..wh.plnk",
    "d/.wh..wh..wh.x",
    ".wh.d/a",
    "d/.wh..wh..opq/x",
  ]) {
    await refuses("IMAGE_WHITEOUT", importLayers(t, [below, layer(whiteout(name))]));
  }
  for (const trick of [
    [file("d/a"), whiteout("d/.wh.a")],
    [whiteout("d/.wh.a"), file("d/a")],
    [whiteout(".wh.d"), file("d/b")],
    [file("d/b"), whiteout(".wh.d")],
    [whiteout("d/.wh.a"), whiteout("d/.wh.a")],
    [whiteout("d/.wh..wh..opq"), whiteout("d/.wh..wh..opq")],
    [{ name: "d/.wh.a", content: "not empty" }],
    [{ name: "d/.wh.a", type: "2", link: "b" }],
    [{ name: "d/.wh.a", type: "5" }],
  ]) {
    await refuses("IMAGE_WHITEOUT", importLayers(t, [below, layer(...trick)]));
  }
  const linked = layer({ name: "l", type: "2", link: "d" });
  await refuses("IMAGE_WHITEOUT", importLayers(t, [below, linked, layer(whiteout("l/.wh.a"))]));
  await refuses(
    "IMAGE_WHITEOUT",
    importLayers(t, [below, linked, layer(whiteout("l/.wh..wh..opq"))]),
  );
});

test("a path may occur once in a layer; names that differ in case are two", async (t) => {
  const { files } = await importLayers(t, [layer(file("Makefile"), file("makefile"))]);
  assert.ok(files.has("/Makefile") && files.has("/makefile"));
  await importLayers(t, [layer(file("a")), layer(file("a"))]);
  for (const twice of [
    [file("a"), file("a")],
    [file("a"), file("./a")],
    [dir("a/"), { name: "a", type: "2", link: "b" }],
  ]) {
    await refuses("IMAGE_DUPLICATE", importLayers(t, [layer(...twice)]));
  }
});

test("bombs are refused before they cost what they promise", async (t) => {
  const small: ArchiveLimits = {
    bytes: 64 * 1024,
    entries: 10,
    depth: 5,
    ratio: 20,
    ratioSlackBytes: 4096,
  };
  const import_ = (...layers: TestLayer[]) => importMembers(t, ociLayout(layers), small);
  const noise = Buffer.from(Array.from({ length: 3000 }, (_, index) => (index * 7919) % 251));
  await import_(layer({ name: "ok", content: noise }));
  const bytes = layer({ name: "zeros", content: Buffer.alloc(60_000) });
  await refuses("IMAGE_BOUND", import_(bytes), /expands/);
  const plain = (name: string) => plainLayer(tarOf([{ name, content: Buffer.alloc(20_000) }]));
  await import_(plain("a"));
  await refuses("IMAGE_BOUND", import_(plain("a"), plain("b"), plain("c"), plain("d")), /bytes/);
  const many = Array.from({ length: 11 }, (_, index) => file(String(index)));
  await refuses("IMAGE_BOUND", import_(plainLayer(tarOf(many))), /entries/);
  await refuses("IMAGE_PATH", import_(layer(file("1/2/3/4/5/6"))), /deeper/);
  await refuses("IMAGE_PATH", import_(layer(pax({ path: "x".repeat(300) }), file("y"))), /longer/);
  // Says that terabytes follow: refused by its header.
  await refuses("IMAGE_BOUND", import_(layer({ name: "huge", size: 2 ** 32 })));
  await refuses("IMAGE_BOUND", import_(layer({ name: "p", type: "x", size: 2 ** 31 })));
});

test("every byte is bound by a digest", async (t) => {
  const layers = [layer(file("a")), layer(file("b"))];
  for (const member of ociLayout(layers).keys()) {
    if (!member.startsWith("blobs/")) continue;
    const members = ociLayout(layers);
    const bytes = Buffer.from(members.get(member) ?? "");
    // In gzip the operating system's number, which no decoder looks at; in JSON the last brace.
    const at = bytes[0] === 0x1f ? 9 : bytes.length - 1;
    bytes.writeUInt8((bytes[at] ?? 0) ^ 1, at);
    members.set(member, bytes);
    await refuses("IMAGE_DIGEST", importMembers(t, members));
  }
  const other = [`sha256:${"0".repeat(64)}`, `sha256:${"1".repeat(64)}`];
  await refuses("IMAGE_DIGEST", importLayers(t, layers, { diffIds: other }));
  await refuses("IMAGE_DIGEST", importMembers(t, dockerSave(layers, { diffIds: other })));
  await refuses("IMAGE_FORMAT", importLayers(t, layers, { diffIds: other.slice(1) }));
  const renamed = dockerSave(layers);
  const [config = ""] = [...renamed.keys()].filter((name) => name.endsWith(".json"));
  renamed.set(config, Buffer.from(String(renamed.get(config)).replace("test", "tesT")));
  await refuses("IMAGE_DIGEST", importMembers(t, renamed));
});

test("other platforms, foreign layers and unknown media types are refused", async (t) => {
  const good = layer(file("a"));
  await importLayers(t, [good]);
  await refuses("IMAGE_PLATFORM", importLayers(t, [good], { architecture: "arm64" }));
  await refuses("IMAGE_PLATFORM", importLayers(t, [good], { os: "windows" }));
  for (const descriptor of [
    { urls: ["https://example.com/layer"] },
    { mediaType: "application/vnd.oci.image.layer.nondistributable.v1.tar+gzip" },
    { mediaType: "application/vnd.docker.image.rootfs.foreign.diff.tar.gzip" },
  ]) {
    await refuses("IMAGE_FOREIGN_LAYER", importLayers(t, [{ ...good, descriptor }]));
  }
  const unknown = { mediaType: "application/octet-stream" };
  await refuses("IMAGE_FORMAT", importLayers(t, [{ ...good, descriptor: unknown }]));
});

test("malformed documents are refused with their name", async (t) => {
  const layers = [layer(file("a"))];
  for (const [member, text] of [
    ["index.json", "{"],
    ["index.json", '{"schemaVersion":2,"schemaVersion":2,"manifests":[]}'],
    ["index.json", '{"schemaVersion":2,"manifests":[]}'],
    ["index.json", '{"schemaVersion":2.5,"manifests":[]}'],
    ["oci-layout", '{"imageLayoutVersion":"2.0.0"}'],
  ] as const) {
    const members = ociLayout(layers).set(member, Buffer.from(text));
    await refuses("IMAGE_FORMAT", importMembers(t, members));
  }
  const empty = new Map([["readme", Buffer.from("no image")]]);
  await refuses("IMAGE_FORMAT", importMembers(t, empty), /oci-layout/);
  const docker = dockerSave(layers);
  const [first] = JSON.parse(String(docker.get("manifest.json")));
  docker.set("manifest.json", Buffer.from(JSON.stringify([first, { ...first, RepoTags: ["b"] }])));
  await refuses("IMAGE_INPUT", importMembers(t, docker), /2 images/);
});

test("a layout directory never leads to files outside it", async (t) => {
  const work = temporaryDirectory(t);
  const store = openStore(join(work, "store"));
  const secret = join(work, "secret.json");
  writeFileSync(secret, "[]");
  const layout = writeDirectory(join(work, "layout"), ociLayout([layer(file("a"))]));
  const run = () => importRoot({ store, report: silent }, { path: layout, name: "test" });
  await run();
  unlinkSync(join(layout, "index.json"));
  symlinkSync(secret, join(layout, "index.json"));
  await refuses("IMAGE_FORMAT", run());
  // manifest.json names files freely, so a directory in Docker's form is not read at all.
  const docker = join(work, "docker");
  const members = dockerSave([layer(file("a"))]);
  const [manifest] = JSON.parse(String(members.get("manifest.json")));
  members.set(
    "manifest.json",
    Buffer.from(JSON.stringify([{ ...manifest, Config: "../secret.json" }])),
  );
  writeDirectory(docker, members);
  const outside = importRoot({ store, report: silent }, { path: docker, name: "test" });
  await refuses("IMAGE_FORMAT", outside, /neither/);
});
