// Makes what the example appliance needs inside a guest: DIRECTORY with the command line, plan,
// policy, release, and one image as an archive for `docker load`. The image's id is known before
// there is an engine, so the platform's owner signs out here, and no private key goes in.
import { spawnSync } from "node:child_process";
import { createHash, generateKeyPairSync } from "node:crypto";
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { ARTIFACT_KINDS } from "../packages/boundary/dist/index.js";
import { platformSchema } from "../packages/boundary/dist/platform/schema.js";
import { readUserFile } from "../packages/document/dist/index.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const [directory] = process.argv.slice(2);
if (directory === undefined) {
  console.error("usage: guest-appliance.mjs DIRECTORY");
  process.exit(2);
}

const run = (program, args) => {
  const { status, stderr, error } = spawnSync(program, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${stderr || error}`);
};
const digestOf = (bytes) => createHash("sha256").update(bytes).digest("hex");

// The same bytes each time: a layer of one file and links to it, and a configuration without a time.
const TAR = ["--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner"];
const APPLETS = ["sh", "sleep", "nc", "true"];

/** Writes an archive as `docker save` does; the image's name by its id. */
const makeImage = (file, name) => {
  const work = mkdtempSync(join(tmpdir(), "drydock-image-"));
  try {
    const bin = join(work, "root/bin");
    mkdirSync(bin, { recursive: true });
    copyFileSync("/bin/busybox", join(bin, "busybox"));
    for (const applet of APPLETS) symlinkSync("busybox", join(bin, applet));
    mkdirSync(join(work, "image"));
    run("tar", ["-C", join(work, "root"), ...TAR, "-cf", join(work, "image/layer.tar"), "."]);
    const config = JSON.stringify({
      architecture: "amd64",
      os: "linux",
      // Which the gate asks the management anchor's image.
      config: { Labels: { "workbench.policy-version": "participant-workbench-profile/v1" } },
      rootfs: {
        type: "layers",
        diff_ids: [`sha256:${digestOf(readFileSync(join(work, "image/layer.tar")))}`],
      },
    });
    const id = digestOf(config);
    const manifest = [{ Config: `${id}.json`, RepoTags: [`${name}:1`], Layers: ["layer.tar"] }];
    writeFileSync(join(work, "image", `${id}.json`), config);
    writeFileSync(join(work, "image/manifest.json"), JSON.stringify(manifest));
    run("tar", ["-C", join(work, "image"), ...TAR, "-cf", file, "."]);
    return `${name}@sha256:${id}`;
  } finally {
    rmSync(work, { recursive: true });
  }
};

const example = join(root, "scenarios/appliance");
const image = makeImage(join(directory, "image.tar"), "example/helper");
// The broker stays outside: a machine without a network device leads nowhere, and Node would be most
// of what goes in. Its anchor idles there as the others do.
const { value: platform } = readUserFile(
  Buffer.from(readFileSync(join(example, "platform.yaml"), "utf8").replace(/HELPER|PROXY/g, image)),
  platformSchema,
  "platform.yaml",
);
const { mounts: _given, ...broker } = platform.anchors.egress;
const anchors = {
  ...platform.anchors,
  egress: { ...broker, command: platform.anchors.management.command },
};
writeFileSync(join(directory, "platform.json"), JSON.stringify({ ...platform, anchors }));
// The guest is the appliance: the boundary stands in its own network namespace, which is its PID 1's,
// and the signed policy says that it may. An emulated gate takes minutes.
const policy = readFileSync(join(example, "policy.yaml"), "utf8");
const isOwn = (line) => /^(allow_host_network|observation_freshness_seconds):/.test(line);
writeFileSync(
  join(directory, "policy.yaml"),
  [
    ...policy
      .trimEnd()
      .split("\n")
      .filter((line) => !isOwn(line)),
    "allow_host_network: true",
    "observation_freshness_seconds: 900\n",
  ].join("\n"),
);
for (const file of ["plan.yaml", "in-guest.sh", "by-hand.sh"])
  copyFileSync(join(example, file), join(directory, file));

const OTHERS = ARTIFACT_KINDS.filter((kind) => kind !== "boundary-policy");
for (const kind of OTHERS)
  writeFileSync(join(directory, `${kind}.txt`), `The example has no ${kind}.\n`);
const keys = mkdtempSync(join(tmpdir(), "drydock-owner-"));
try {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const owner = join(keys, "owner.key");
  writeFileSync(owner, privateKey.export({ format: "pem", type: "pkcs8" }), { mode: 0o600 });
  writeFileSync(join(directory, "owner.pem"), publicKey.export({ format: "pem", type: "spki" }));
  run(join(root, "drydock"), [
    ...["boundary", "release", directory, "--id", "example-1", "--profile", "example@1"],
    ...["--artifact", "boundary-policy=policy.yaml"],
    ...OTHERS.flatMap((kind) => ["--artifact", `${kind}=${kind}.txt`]),
    ...["--helper-image", image, "--proxy-image", image, "--signing-key", owner],
  ]);
} finally {
  rmSync(keys, { recursive: true });
}

const bundle = join(directory, "drydock/bundle");
cpSync(join(root, "packages/cli/bundle"), bundle, { recursive: true });
copyFileSync(join(root, "packages/cli/package.json"), join(directory, "drydock/package.json"));
// What the bundle leaves outside, as far as it runs.
for (const part of [
  ...["package.json", "lib", "build/Release/better_sqlite3.node"].map(
    (at) => `better-sqlite3/${at}`,
  ),
  ...["bindings", "file-uri-to-path"],
])
  cpSync(join(root, "node_modules", part), join(directory, "drydock/node_modules", part), {
    recursive: true,
  });
// The client of an engine's API is no part of the bundle. It tries to load two compiled modules,
// which it does without.
await build({
  stdin: { contents: 'module.exports = require("dockerode");', resolveDir: root },
  outfile: join(directory, "drydock/node_modules/dockerode/index.js"),
  bundle: true,
  platform: "node",
  target: "node20.17",
  format: "cjs",
  external: ["*.node"],
  logLevel: "error",
});
