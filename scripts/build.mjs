// Compiles the workspaces, then makes the bundles that run: the command line, the SDK, the host
// processes and the guest agent. Deterministic: the same tree gives the same bytes.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
process.chdir(root);

/** Plain lines: who waits for minutes on a busy machine sees what for. */
const say = (step) => process.stderr.write(`build: ${step}\n`);

const run = (command, args) => {
  const result = spawnSync(command, args, { stdio: "inherit" });
  if (result.status !== 0) process.exit(result.status ?? 1);
};

say("compiling TypeScript");
run(process.execPath, ["node_modules/typescript/bin/tsc", "-b"]);
say("bundling the guest's agent");
run(process.execPath, ["guest/build.mjs"]);
say("bundling the programs of the host");

const { build } = await import("esbuild");
const out = "packages/cli/bundle";
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const common = {
  outdir: out,
  bundle: true,
  platform: "node",
  target: "node20.17",
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "external",
  external: ["better-sqlite3", "dockerode"],
};
/**
 * Each program is its own CommonJS file that holds only what it uses: Node loads that faster than
 * modules, and with shared chunks each would load what any other uses. What a program imports when
 * it is needed (each verb of the command line) is such a file too.
 */
const built = new Map();
const bundleProgram = async (name, entry) => {
  const path = resolve(entry);
  const taken = built.get(name);
  if (taken === path) return;
  // All lie in one directory: the second of a name would stand in for the first.
  if (taken !== undefined) throw new Error(`${name}.cjs would be both ${taken} and ${path}`);
  built.set(name, path);
  const later = new Map();
  await build({
    ...common,
    entryPoints: { [name]: entry },
    format: "cjs",
    outExtension: { ".js": ".cjs" },
    // Without a module loader, which would have to start first.
    supported: { "dynamic-import": false },
    define: { "import.meta.url": "__importMetaUrl" },
    banner: {
      js: 'const __importMetaUrl=require("node:url").pathToFileURL(__filename).href;',
    },
    plugins: [
      {
        name: "later",
        setup: ({ onResolve }) =>
          onResolve({ filter: /^\.\.?\// }, ({ path, kind, resolveDir }) => {
            if (kind !== "dynamic-import") return undefined;
            later.set(basename(path, ".js"), join(resolveDir, path));
            return { path: `./${basename(path, ".js")}.cjs`, external: true };
          }),
      },
    ],
  });
  for (const [part, file] of later) await bundleProgram(part, file);
};
await bundleProgram("drydock", "packages/cli/dist/main.js");
for (const name of ["controller", "port", "reaper"])
  await bundleProgram(name, `packages/trial/dist/${name}/main.js`);
await bundleProgram("broker", "packages/trial/dist/egress/main.js");
await bundleProgram("prober", "packages/boundary/dist/probe/prober.js");
await bundleProgram("check-worker", "packages/boundary/dist/watch/check-worker.js");
await bundleProgram("lab-worker", "packages/lab/dist/scenario/worker/main.js");
await bundleProgram("fault-proxy", "packages/faults/dist/control/main.js");
await bundleProgram("lab-supervisor", "packages/lab/dist/supervisor/main.js");
await bundleProgram("lab-harness", "packages/lab/dist/harness/main.js");
await bundleProgram("lab-stand-in", "packages/lab/dist/supervisor/stand-in-main.js");
await build({
  ...common,
  entryPoints: { index: "packages/cli/dist/index.js" },
  splitting: true,
  format: "esm",
  chunkNames: "chunk-[hash]",
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
  },
});
copyFileSync("guest/dist/agent.bundle.cjs", join(out, "agent.bundle.cjs"));
for (const name of ["conformance.mjs", "stand-in.mjs"])
  copyFileSync(join("guest/dist", name), join(out, name));
copyFileSync("packages/vm/native/drydock-native.c", join(out, "drydock-native.c"));
// The package has no other place for it.
copyFileSync("LICENSE", join(out, "LICENSE"));

// JSON Schemas of every file that a user writes or a stranger reads.
const load = (path) => import(pathToFileURL(join(root, path)).href);
const evidence = await load("packages/evidence/dist/index.js");
const ledger = await load("packages/ledger/dist/index.js");
const broker = await load("packages/broker/dist/index.js");
const boundary = await load("packages/boundary/dist/index.js");
const trial = await load("packages/trial/dist/index.js");
const schemas = {
  run: trial.runSpecJsonSchema(),
  record: evidence.recordSchema,
  manifest: evidence.manifestSchema,
  "boundary-manifest": evidence.boundaryManifestSchema,
  "lab-manifest": evidence.labManifestSchema,
  verdict: evidence.verdictSchema,
  artifacts: evidence.artifactsSchema,
  journal: evidence.journalEntrySchema,
  trust: evidence.trustSchema,
  halt: ledger.haltRecordSchema,
  egress: broker.egressPolicyJsonSchema(),
  "egress-signed": broker.signedEgressPolicyJsonSchema(),
  "egress-appliance": broker.applianceJsonSchema(),
  plan: boundary.planJsonSchema(),
  "appliance-policy": boundary.appliancePolicyJsonSchema(),
  platform: boundary.platformJsonSchema(),
  release: boundary.releaseJsonSchema(),
  "release-signature": boundary.signatureJsonSchema(),
  "boundary-binding": boundary.bindingJsonSchema(),
};
mkdirSync(join(out, "schemas"));
for (const [name, schema] of Object.entries(schemas)) {
  const document = { $schema: "https://json-schema.org/draft/2020-12/schema", ...schema };
  writeFileSync(join(out, "schemas", `${name}.json`), `${JSON.stringify(document, null, 2)}\n`);
}

// The digest of what runs, sealed into every manifest as "the Drydock build".
const digest = createHash("sha256");
for (const name of readdirSync(out)
  .filter((entry) => entry !== "schemas")
  .sort()) {
  const bytes = readFileSync(join(out, name));
  digest.update(`${name}\0${bytes.length}\0`).update(bytes);
}
writeFileSync(
  join(out, "build.json"),
  `${JSON.stringify({ digest: `sha256:${digest.digest("hex")}` })}\n`,
);
