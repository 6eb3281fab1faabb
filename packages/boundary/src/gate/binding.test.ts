import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { boundPlatform } from "../testing/index.js";
import { bindingBytes, bindingJsonSchema, mappingsOf, parseBinding } from "./binding.js";
import { request } from "./testing/request.js";

const file = "binding.json";
const binding = {
  ...request.binding,
  mappings: mappingsOf(boundPlatform),
  development: false,
};

// Formats are said as patterns beside them.
const isInSchema = new Ajv2020({ strict: false, validateFormats: false }).compile(
  structuredClone(bindingJsonSchema()),
);

test("a binding is read as it was written", () => {
  assert.ok(isInSchema(JSON.parse(bindingBytes(binding).toString())));
  assert.deepEqual(parseBinding(bindingBytes(binding), { file }), binding);
  assert.equal(binding.mappings.length, boundPlatform.publications.length);
});

test("what isn't one is refused, with its place, and its JSON Schema says the same", () => {
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
    spelling: { ...document, mappings: [{ ...mapping, address: "127.0.0.01" }] },
    planDigest: { ...document, planDigest: "sha256:AB" },
    schema: { ...document, schema: "drydock.boundary-binding/v2" },
  };
  for (const [name, value] of Object.entries(wrong)) {
    const bytes = Buffer.from(JSON.stringify(value));
    assert.throws(() => parseBinding(bytes, { file }), /binding\.json:1:/, name);
    assert.equal(isInSchema(value), false, name);
  }
});
