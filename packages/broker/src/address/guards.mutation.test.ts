import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertNoticed, runTestFileWithSwaps } from "@drydock/testkit";

/** Each guard of this folder is taken away once; its own tests have to notice. */
const GUARDS = [
  {
    what: "classifyAddress",
    module: "packages/broker/dist/address/classify.js",
    source: `export const classifyAddress = () => ({ kind: "global" });`,
    test: "./classify.test.js",
  },
  {
    what: "classifyAddress without what is embedded",
    module: "packages/broker/dist/address/embedded-ipv4.js",
    source: "export const embeddedIpv4 = () => [];",
    test: "./classify.test.js",
  },
  {
    what: "allGlobal",
    module: "packages/broker/dist/address/all-global.js",
    source: `export const allGlobal = () => ({ kind: "global" });`,
    test: "./all-global.test.js",
  },
  {
    what: "allGlobal that looks at the first address only",
    module: "packages/broker/dist/address/all-global.js",
    source: `import { classifyAddress } from ${JSON.stringify(new URL("./classify.js", import.meta.url).href)};
      export const allGlobal = ([address]) => classifyAddress(address).kind === "global"
        ? { kind: "global" }
        : { kind: "refused", address, class: classifyAddress(address) };`,
    test: "./all-global.test.js",
  },
] as const;

describe("without its guard a test fails", () => {
  for (const { what, module, source, test } of GUARDS) {
    it(what, () => {
      const file = new URL(test, import.meta.url);
      assertNoticed(file, [{ module, source }]);
    });
  }

  it("and with all of them none does", () => {
    for (const test of new Set(GUARDS.map((guard) => guard.test))) {
      assert.equal(runTestFileWithSwaps(new URL(test, import.meta.url), []).failed, false);
    }
  });
});
