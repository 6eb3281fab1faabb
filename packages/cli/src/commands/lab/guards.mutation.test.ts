import { test } from "node:test";
import { assertNoticed } from "@drydock/testkit";

const GUARDS = [
  {
    module: "cli/dist/commands/lab/require-unprivileged.js",
    source: "export const requireUnprivileged = () => {};",
    noticedBy: "require-unprivileged.test.js",
    test: "root and its group",
  },
  {
    module: "cli/dist/commands/lab/guest/run-beside.js",
    source: `
      import { spawnSync } from "node:child_process";
      export const runBeside = async ({ command: [program, ...args], env }) =>
        spawnSync(program, args, { env, stdio: "inherit" }).status;
      export const endAs = (end) => void (process.exitCode = end);`,
    noticedBy: "guest/run-beside.test.js",
    test: "is another user",
  },
  {
    // Without asking whether somebody is still at it.
    module: "trial/dist/evidence/owner.js",
    source: `
      export * from "./owner.js?real";
      export const isClaimed = () => false;`,
    noticedBy: "sweep-rehearsals.test.js",
    test: "stays where the verb lives",
  },
] as const;

for (const guard of GUARDS) {
  test(`without ${guard.module} something is noticed`, () => {
    const module = `packages/${guard.module}`;
    const file = new URL(guard.noticedBy, import.meta.url);
    assertNoticed(file, [{ module, source: guard.source }], guard.test);
  });
}
