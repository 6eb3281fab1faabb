import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertNoticed, runTestFileWithSwaps } from "@drydock/testkit";

/** Each guard of this package is taken away once; its own tests have to notice. */
const GUARDS = [
  {
    what: "acceptHeader",
    module: "packages/wire/dist/control/accept-header.js",
    source: "export const acceptHeader = () => undefined;",
    test: "./control/control.test.js",
  },
  {
    what: "readBulkHeader and readCredit",
    module: "packages/wire/dist/bulk/read-header.js",
    source: `export const readBulkHeader = (bytes) => ({
      type: bytes.readUInt8(0), stream: bytes.readUInt32BE(1), length: bytes.readUInt32BE(5) });
      export const readCredit = (bytes) => bytes.readUInt32BE(0);`,
    test: "./bulk/mux.test.js",
  },
  {
    what: "guestSaid",
    module: "packages/wire/dist/session/guest-said.js",
    source: "export const guestSaid = (session) => ({ ...session, phase: 'ready' });",
    test: "./session/host.test.js",
  },
] as const;

describe("without its guard a test fails", () => {
  for (const { what, module, source, test } of GUARDS) {
    it(what, () => {
      const file = new URL(test, import.meta.url);
      assertNoticed(file, [{ module, source }]);
      // The control: the same file with the guard in place.
      assert.equal(runTestFileWithSwaps(file, []).failed, false);
    });
  }
});
