import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { requireIsolation } from "./namespace.js";
import { requirePlace } from "./place.js";

const PLACE = { address: "192.0.2.10", port: 443, name: "appliance.lab.invalid" };

const refused = (change: Partial<typeof PLACE>): void => {
  assert.throws(() => requirePlace({ ...PLACE, ...change }), { code: "LAB_PLACE" });
};

describe("a stand-in listens", () => {
  for (const change of [
    {},
    { address: "192.0.2.0" },
    { address: "198.51.100.255" },
    { address: "203.0.113.7" },
    { port: 1 },
    { port: 65_535 },
    { name: "a.lab.invalid" },
    { name: `${"a".repeat(63)}.lab.invalid` },
    { name: "a-1.lab.invalid" },
  ]) {
    test(`at ${JSON.stringify(change)}`, () => requirePlace({ ...PLACE, ...change }));
  }
  for (const address of [
    "127.0.0.1",
    "::1",
    "0.0.0.0",
    "10.0.0.1",
    "192.0.2.256",
    "192.0.2.010",
    "192.0.2.1.",
    "192.0.3.1",
    "198.51.101.1",
    "203.0.112.1",
    " 192.0.2.1",
    "192.0.2.1\n",
    "",
  ]) {
    test(`not at address ${JSON.stringify(address)}`, () => refused({ address }));
  }
  for (const port of [0, -1, 65_536, 1.5, Number.NaN]) {
    test(`not at port ${port}`, () => refused({ port }));
  }
  for (const name of [
    "lab.invalid",
    ".lab.invalid",
    "a.b.lab.invalid",
    "a.lab.invalid.",
    "A.lab.invalid",
    "-a.lab.invalid",
    "a-.lab.invalid",
    `${"a".repeat(64)}.lab.invalid`,
    "a.lab.invalid.example.com",
    "xlab.invalid",
    "localhost",
    "a.lab.invalid\n",
  ]) {
    test(`not as ${JSON.stringify(name)}`, () => refused({ name }));
  }
});

describe("a stand-in serves", () => {
  const table = (...links: readonly string[]): string =>
    ["Inter-| Receive", " face |bytes", ...links.map((link) => `${link}: 0 0`), ""].join("\n");

  test("where there is its own link and loopback", () => {
    requireIsolation(table("    lo", "drydock-lab0"));
  });
  for (const links of [
    ["lo", "eth0"],
    ["lo", "drydock-lab0", "eth0"],
    ["lo", "xdrydock-lab0"],
    ["lo"],
  ]) {
    test(`not where there is ${links.join(" and ")}`, () => {
      assert.throws(() => requireIsolation(table(...links)), { code: "LAB_NAMESPACE" });
    });
  }
  test("not in the namespace that these tests run in", () => {
    assert.throws(() => requireIsolation(), { code: "LAB_NAMESPACE" });
  });
});
