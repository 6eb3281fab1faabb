import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { requireFreshNamespace } from "./fresh-namespace.js";

const table = (...links: readonly string[]): string =>
  ["Inter-| Receive", " face |bytes", ...links.map((link) => `${link}: 0 0`), ""].join("\n");

describe("links are made", () => {
  test("in another namespace than the starter's that has loopback alone", () => {
    requireFreshNamespace({ identity: "4:2", table: table("    lo") }, "4:1");
    requireFreshNamespace({ identity: "4:2", table: table() }, "4:1");
  });
  test("not in the starter's own", () => {
    assert.throws(() => requireFreshNamespace({ identity: "4:1", table: table("    lo") }, "4:1"), {
      code: "LAB_NAMESPACE",
      message: /of who started this/,
    });
  });
  for (const link of ["eth0", "lo0", "drydock-lab0"])
    test(`not beside ${link}`, () => {
      const used = { identity: "4:2", table: table("    lo", `  ${link}`) };
      assert.throws(() => requireFreshNamespace(used, "4:1"), {
        code: "LAB_NAMESPACE",
        message: /has links already/,
      });
    });
});
