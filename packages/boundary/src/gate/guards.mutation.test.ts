import { it } from "node:test";
import { assertNoticed } from "@drydock/testkit";

const HERE = "packages/boundary/dist/gate";

const GUARDS = [
  ["holders.js", "export const holderFindings = () => [];"],
  ["probes.js", "export const probeFindings = () => [];"],
  ["guest.js", "export const guestFindings = () => [];"],
  [
    "host.js",
    "export const hostFindings = () => []; export const trustedHostObservation = () => null;",
  ],
] as const;

for (const [module, source] of GUARDS) {
  it(`without ${module} a test of the gate fails`, () => {
    const file = new URL("./qualify.test.js", import.meta.url);
    assertNoticed(file, [{ module: `${HERE}/${module}`, source }]);
  });
}
