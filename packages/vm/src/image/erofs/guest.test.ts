import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { temporaryDirectory } from "@drydock/testkit";
import { derivationKey, derive, objectPath, openStore, type Store } from "../../store/index.js";
import { buildKernel, initrdMembers } from "../build/kernel.js";
import { findModules, GUEST_MODULES, moduleDependencies, orderModules } from "../build/modules.js";
import { type CpioMember, writeCpio } from "../cpio.js";
import { openApt } from "../deb/apt.js";
import { unpackDeb } from "../deb/unpack.js";
import { testCache } from "../testing/cache.js";
import { systemTools } from "../tools.js";
import { readContent } from "../tree/content.js";
import { place, walk } from "../tree/edit.js";
import {
  bytesContent,
  type DirectoryNode,
  directory,
  file,
  rootOwned,
  symlink,
  type TreeNode,
} from "../tree/node.js";
import { openSpool } from "../tree/spool.js";
import { writeErofs } from "./write.js";

const BOOT_DEADLINE_MS = 300_000;
const MAX_MODULE_BYTES = 16 * 1024 ** 2;

/** Prints one line for each entry of the image, as the kernel that will read all images sees it. */
const INIT = `#!/bin/busybox sh
b=/bin/busybox
$b mount -t devtmpfs dev /dev
for m in $($b cat /etc/modules); do $b insmod $m; done
$b mount -t erofs -o ro /dev/vda /mnt || echo "SEEN no mount"
cd /mnt
$b find . | while read -r f; do
  s=$($b stat -c '%a %u %g %h %Y %F' "$f")
  if [ -L "$f" ]; then c=$($b readlink "$f"); elif [ -f "$f" ]; then c=$($b sha256sum < "$f" | $b cut -c1-64); else c=; fi
  echo "SEEN $f|$s|$c"
done
$b reboot -f
`;

/** Sizes around the borders of blocks and inline tails, names, links, modes and deep directories. */
const sample = (): DirectoryNode => {
  const root = directory({ mode: 0o755, uid: 0, gid: 0, mtime: 1_700_000_000 });
  const owned = (mode: number) => ({ mode, uid: 100_000, gid: 65_534, mtime: 1_600_000_000 });
  for (const size of [0, 1, 4031, 4032, 4033, 4096, 4097, 8128, 8129, 70_000]) {
    place(root, `/sizes/${size}`, file(bytesContent(Buffer.alloc(size, size)), owned(0o640)));
  }
  for (let index = 0; index < 400; index += 1) {
    place(root, `/many/entry-${index}`, file(bytesContent(String(index)), rootOwned(0o444)));
  }
  const shared = file(bytesContent("setuid"), rootOwned(0o4755));
  place(root, "/a", shared);
  place(root, "/b", shared);
  place(root, `/${"d/".repeat(30)}deep`, symlink("../".repeat(10)));
  place(root, "/long", symlink("x".repeat(3000)));
  place(root, "/tmp", directory(rootOwned(0o1777)));
  place(root, "/-first", file(bytesContent("sorts before the dot"), rootOwned(0o600)));
  return root;
};

test("the guest's kernel sees every entry of an image as it was meant", async (t) => {
  const work = temporaryDirectory(t);
  const store = openStore(join(work, "store"));
  const tree = sample();
  const image = writeErofs(store, tree, "test");
  const { kernel, initrd } = await bootFiles(work);
  const console = await boot(t, kernel, initrd, objectPath(store, image.digest));
  const seen = new Map(
    [...console.matchAll(/^SEEN \.\/([^|]*)\|([^|]*)\|(.*?)\r?$/gm)].map(
      ([, path = "", stat, content]) => [`/${path}`, `${stat}|${content}`],
    ),
  );
  assert.deepEqual(
    new Map([...seen].sort()),
    new Map([...expected(tree)].sort()),
    console.slice(-2000),
  );
});

const expected = (root: DirectoryNode): Map<string, string> => {
  const nodes = [...walk(root)];
  const links = (node: TreeNode): number => nodes.filter((other) => other.node === node).length;
  return new Map(nodes.map(({ path, node }) => [path, describe(node, links(node))]));
};

const describe = (node: TreeNode, links: number): string => {
  const { mode, uid, gid, mtime } = node.attributes;
  const stat = (count: number, what: string): string =>
    `${mode.toString(8)} ${uid} ${gid} ${count} ${mtime} ${what}`;
  switch (node.kind) {
    case "directory": {
      const below = [...node.entries.values()].filter(({ kind }) => kind === "directory");
      return `${stat(2 + below.length, "directory")}|`;
    }
    case "symlink":
      return `${stat(1, "symbolic link")}|${node.target}`;
    case "file": {
      const bytes = readContent(node.content, MAX_MODULE_BYTES);
      const what = bytes.length === 0 ? "regular empty file" : "regular file";
      return `${stat(links, what)}|${createHash("sha256").update(bytes).digest("hex")}`;
    }
  }
};

/** The real kernel, and an initial file system that looks at a disk instead of starting an agent. */
const bootFiles = async (work: string): Promise<{ kernel: string; initrd: string }> => {
  const store = testCache();
  const tools = systemTools();
  const apt = openApt(store, tools);
  const deb = await apt.kernel();
  await apt.fetch([deb], () => undefined);
  const { outputs } = await derive(
    store,
    derivationKey("test-kernel", 1, deb.digest),
    async () => ({
      ...(await buildKernel(store, tools, deb, Buffer.from("unused"), GUEST_MODULES)),
    }),
  );
  using spool = openSpool(store);
  const root = directory();
  await unpackDeb(store, tools, spool, root, deb, { keep: (path) => path.endsWith(".ko") });
  const modules = orderModules(GUEST_MODULES, findModules(root), ({ file: { content } }) =>
    moduleDependencies(readContent(content, MAX_MODULE_BYTES)),
  );
  const folders = ["/bin", "/dev", "/mnt", "/proc"].map(
    (path): CpioMember => ({ kind: "directory", path, mode: 0o755 }),
  );
  const busybox = readFileSync("/bin/busybox");
  const initrd = join(work, "initrd");
  writeFileSync(
    initrd,
    writeCpio([
      ...folders,
      ...initrdMembers(Buffer.from(INIT), modules),
      { kind: "file", path: "/bin/busybox", mode: 0o755, content: busybox },
    ]),
  );
  return { kernel: kernelPath(store, outputs["kernel"]?.digest), initrd };
};

const kernelPath = (store: Store, digest: string | undefined): string => {
  assert.ok(digest !== undefined);
  return objectPath(store, digest);
};

const boot = async (
  t: TestContext,
  kernel: string,
  initrd: string,
  disk: string,
): Promise<string> => {
  const machine = spawn(
    "qemu-system-x86_64",
    [
      ...["-M", "microvm", "-accel", "tcg", "-cpu", "qemu64,+ssse3,+sse4.1,+sse4.2,+popcnt"],
      ...["-m", "256", "-nodefaults", "-no-reboot", "-display", "none", "-serial", "stdio"],
      ...["-kernel", kernel, "-initrd", initrd],
      ...["-append", "console=ttyS0 quiet reboot=t panic=-1 tsc_early_khz=2000000"],
      ...["-drive", `id=d,file=${disk},format=raw,if=none,readonly=on`],
      ...["-device", "virtio-blk-device,drive=d"],
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  t.after(() => machine.kill("SIGKILL"));
  const deadline = setTimeout(() => machine.kill("SIGKILL"), BOOT_DEADLINE_MS);
  let text = "";
  for await (const piece of machine.stdout) text += String(piece);
  clearTimeout(deadline);
  return text;
};
