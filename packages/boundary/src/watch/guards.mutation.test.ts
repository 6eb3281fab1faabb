import { it } from "node:test";
import { assertNoticed } from "@drydock/testkit";

const GUARDS = [
  ["watch/same-boundary.js", "export const isSameBoundary = () => true;", "look"],
  [
    "observe/containers.js",
    "export const differentContainers = () => ({ differentImages: [], strangers: [] });",
    "look",
  ],
  [
    "realise/stray-ports.js",
    `export const strayPorts = () => []; export const mayBeStarting = () => true;
     export const describeStrayPort = () => "";`,
    "look",
  ],
  ["watch/replaced.js", "export const replacedContainers = () => [];", "engine-event"],
] as const;

for (const [module, source, tested] of GUARDS) {
  it(`without ${module} a test of ${tested} fails`, () => {
    const file = new URL(`./${tested}.test.js`, import.meta.url);
    const swap = { module: `packages/boundary/dist/${module}`, source };
    assertNoticed(file, [swap]);
  });
}
