/** Bundles the agent to one CommonJS file for the agent's own file system. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));

/**
 * Equal sources give equal bytes: paths in the output are relative to the repository and no
 * names, times or maps of the build get in. The sources are bundled as they are, so nothing
 * has to be compiled before.
 * @returns {Promise<Uint8Array>}
 */
export const buildAgentBundle = async () => {
  const result = await build({
    absWorkingDir: dirname(here),
    entryPoints: ["guest/src/main.ts"],
    alias: {
      "@drydock/wire": "./packages/wire/src/index.ts",
      "@drydock/evidence": "./packages/evidence/src/index.ts",
    },
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    minifySyntax: true,
    minifyWhitespace: true,
    treeShaking: true,
    charset: "utf8",
    legalComments: "none",
    write: false,
    logLevel: "silent",
  });
  const [bundle] = result.outputFiles;
  if (bundle === undefined) throw new Error("the agent bundle is empty");
  return bundle.contents;
};

/**
 * Bundles a program that a run puts into its guest, so that no image depends on it: one module.
 * @param {string} entryPoint
 * @param {string} what
 * @returns {Promise<Uint8Array>}
 */
const buildProgram = async (entryPoint, what) => {
  const result = await build({
    absWorkingDir: dirname(here),
    entryPoints: [entryPoint],
    alias: {
      "@drydock/acceptance/rehearsal": "./packages/acceptance/src/rehearsal/index.ts",
      ...Object.fromEntries(
        ["acceptance", "broker", "evidence", "faults", "lab"].map((room) => [
          `@drydock/${room}`,
          `./packages/${room}/src/index.ts`,
        ]),
      ),
    },
    bundle: true,
    platform: "node",
    target: "node20.17",
    format: "esm",
    minifySyntax: true,
    minifyWhitespace: true,
    treeShaking: true,
    charset: "utf8",
    legalComments: "none",
    write: false,
    logLevel: "silent",
  });
  const [bundle] = result.outputFiles;
  if (bundle === undefined) throw new Error(`${what} is empty`);
  return bundle.contents;
};

/** The conformance kit for adapters, which runs as what it checks does. */
export const buildConformanceKit = () =>
  buildProgram("packages/acceptance/src/conformance/guest/main.ts", "the conformance kit");

/** The stand-in appliance, and who starts a command beside it. */
export const buildStandIn = () =>
  buildProgram("packages/cli/src/commands/lab/guest/main.ts", "the stand-in");

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const target = `${here}/dist/agent.bundle.cjs`;
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, await buildAgentBundle());
  await writeFile(`${here}/dist/conformance.mjs`, await buildConformanceKit());
  await writeFile(`${here}/dist/stand-in.mjs`, await buildStandIn());
}
