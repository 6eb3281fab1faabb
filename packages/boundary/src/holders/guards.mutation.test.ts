import { it } from "node:test";
import { assertNoticed } from "@drydock/testkit";

const GUARDS = [
  [
    "is-engines-containerd.js",
    "export const isEnginesContainerd = () => true;",
    "unix-connections",
  ],
  [
    "powers.js",
    "export const powersOf = () => ({ access: null, overprivileged: [] }); export const reachesEngine = () => false;",
    "inventory",
  ],
  [
    "engine-process.js",
    "export const engineProcess = async () => 1; export const requireEngineInside = async () => {};",
    "engine-elsewhere",
  ],
  ["mounts-lead-to.js", "export const mountsLeadTo = () => false;", "mounts"],
] as const;

for (const [module, source, tested] of GUARDS) {
  it(`without ${module} a test of ${tested} fails`, () => {
    const file = new URL(`./${tested}.test.js`, import.meta.url);
    const swap = { module: `packages/boundary/dist/holders/${module}`, source };
    assertNoticed(file, [swap]);
  });
}
