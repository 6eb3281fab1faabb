import { it } from "node:test";
import { assertNoticed } from "@drydock/testkit";

const GUARDS = [
  [
    "realise/mount-sources.js",
    "./mount-sources.test.js",
    "export const requireMountSources = (mounts, { directory }) => directory;",
  ],
  ["platform/mount.js", "../platform/mount.test.js", "export const mountFaults = () => [];"],
  [
    "ruleset/inner-protocol.js",
    "./hand-changed.test.js",
    "export const withInnerProtocols = (listing) => listing;",
  ],
] as const;

for (const [module, test, source] of GUARDS) {
  it(`without ${module} a test of it fails`, () => {
    assertNoticed(new URL(test, import.meta.url), [
      { module: `packages/boundary/dist/${module}`, source },
    ]);
  });
}
