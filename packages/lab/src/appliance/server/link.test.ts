import assert from "node:assert/strict";
import { test } from "node:test";
import { makeLink, namespaceIdentity } from "./link.js";

test("no link is made in the namespace of whoever started the process", () => {
  assert.throws(() => makeLink(["192.0.2.10"], namespaceIdentity()), { code: "LAB_NAMESPACE" });
});

test("nor in one that has links, though it is said to be another", () => {
  assert.throws(() => makeLink(["192.0.2.10"], "0:0"), {
    code: "LAB_NAMESPACE",
    message: /has links already/,
  });
});

test("nor with an address that isn't a stand-in's", () => {
  assert.throws(() => makeLink(["10.0.0.1"], "0:0"), { code: "LAB_PLACE" });
});
