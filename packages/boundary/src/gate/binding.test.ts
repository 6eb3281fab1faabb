import assert from "node:assert/strict";
import { test } from "node:test";
import { boundPlatform } from "../testing/index.js";
import { bindingBytes, mappingsOf, parseBinding } from "./binding.js";
import { request } from "./testing/request.js";

const file = "binding.json";
const binding = {
  ...request.binding,
  mappings: mappingsOf(boundPlatform),
  development: false,
};

test("a binding is read as it was written", () => {
  assert.deepEqual(parseBinding(bindingBytes(binding), { file }), binding);
  assert.equal(binding.mappings.length, boundPlatform.publications.length);
});

test("what isn't one is refused, with its place", () => {
  const document = JSON.parse(bindingBytes(binding).toString());
  const [mapping] = document.mappings;
  const wrong: Readonly<Record<string, unknown>> = {
    launch: { ...document, launch: "ab" },
    another: { ...document, another: true },
    guestBootId: { ...document, guestBootId: "" },
    guestDaemonId: { ...document, guestDaemonId: "x".repeat(129) },
    development: { ...document, development: "no" },
    mappings: { ...document, mappings: [{ ...mapping, guest: null }] },
    address: { ...document, mappings: [{ ...mapping, address: "::1" }] },
    schema: { ...document, schema: "drydock.boundary-binding/v2" },
  };
  for (const [name, value] of Object.entries(wrong)) {
    const bytes = Buffer.from(JSON.stringify(value));
    assert.throws(() => parseBinding(bytes, { file }), /binding\.json:1:/, name);
  }
});
