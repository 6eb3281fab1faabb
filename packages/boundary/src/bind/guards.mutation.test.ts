import { describe, it } from "node:test";
import { assertNoticed } from "@drydock/testkit";

const HERE = "packages/boundary/dist/bind";

/** Each guard of this folder is taken away once; its tests have to notice. */
const GUARDS = [
  ["forged-label.js", "export const refuseForgedLabels = () => {};", "platform"],
  ["stray-endpoint.js", "export const refuseStrayEndpoint = () => {};", "platform"],
  ["stray-endpoint.js", "export const refuseStrayEndpoint = () => {};", "scenario"],
  ["foreign-container.js", "export const refuseForeignContainers = () => {};", "platform"],
  ["foreign-container.js", "export const refuseForeignContainers = () => {};", "scenario"],
  ["shared-identity.js", "export const refuseSharedIdentity = () => {};", "scenario"],
  ["required-networks.js", "export const refuseUnboundOwners = () => {};", "scenario"],
  [
    "unsigned-publication.js",
    `export const refuseUnsignedPublications = () => {};
     export const isPublished = (signed, observed) => observed.port === signed.port;`,
    "platform",
  ],
  ["only.js", "export const only = (found) => found[0];", "platform"],
] as const;

describe("without its guard a test fails", () => {
  for (const [module, source, tested] of GUARDS) {
    it(`${module}, by the tests of ${tested}`, () => {
      const file = new URL(`./${tested}.test.js`, import.meta.url);
      assertNoticed(file, [{ module: `${HERE}/${module}`, source }]);
    });
  }
});
