import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { compileCanaries } from "../canary/index.js";
import { createResponseScan } from "./response-scan.js";

const SECRET = "sk-live-4f1eZq9";
const inbound = compileCanaries([{ id: "secret.KEY", value: SECRET }]);

/** What passed, and whether the scan cut. */
const scan = (bytes: Uint8Array, sizes: readonly number[]) => {
  const response = createResponseScan(inbound);
  const passed: Uint8Array[] = [];
  let at = 0;
  for (const size of [...sizes, bytes.length]) {
    const scanned = response.push(bytes.subarray(at, at + size));
    if (scanned.kind === "found") return { cut: true, passed: Buffer.concat(passed) };
    passed.push(scanned.bytes);
    at += size;
  }
  return { cut: false, passed: Buffer.concat([...passed, response.end()]) };
};

const sizes = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 60 });
const noise = fc
  .array(
    fc.constantFrom(
      "s",
      "sk",
      "sk-l",
      "sk-live",
      "-",
      "%",
      "\n",
      "x",
      "73 6b",
      "c2st",
      "\\",
      "\\u0073",
      "&",
      "&#115;",
    ),
  )
  .map((parts) => parts.join(""));

describe("a response", () => {
  test("without the secret passes whole, wherever it is cut", () => {
    fc.assert(
      fc.property(noise, sizes, (text, cuts) => {
        const bytes = Buffer.from(text);
        assert.deepEqual(scan(bytes, cuts), { cut: false, passed: bytes });
      }),
      { seed: profile.seed, numRuns: profile.fuzz },
    );
  });

  for (const [name, form] of [
    ["plain", SECRET],
    ["upper case", SECRET.toUpperCase()],
    ["base64", Buffer.from(`u:${SECRET}`).toString("base64")],
    ["hex", Buffer.from(SECRET).toString("hex")],
    ["escapes", Buffer.from(SECRET).toString("hex").replace(/../g, "%$&")],
    ["JSON", Buffer.from(SECRET).toString("hex").replace(/../g, "\\u00$&")],
    ["HTML", Buffer.from(SECRET).toString("hex").replace(/../g, "&#x00$&;")],
  ] as const) {
    test(`with the secret as ${name} is cut, and no more than a short start of it passed`, () => {
      fc.assert(
        fc.property(noise, noise, sizes, (before, behind, cuts) => {
          const head = `${before}\n\n\n(`;
          const { cut, passed } = scan(Buffer.from(`${head}${form})${behind}`), cuts);
          assert.ok(cut);
          const of = { escapes: 3 * 3 + 2, JSON: 3 * 6 + 5, HTML: 3 * 8 + 7 }[name as string] ?? 6;
          assert.ok(passed.length <= head.length + of, `${passed}`);
        }),
        { seed: profile.seed, numRuns: profile.fuzz },
      );
    });
  }

  test("that ends in a short start of the secret isn't held up", () => {
    const response = createResponseScan(inbound);
    const text = Buffer.from("event: tasks\n\n");
    assert.deepEqual(response.push(text), { kind: "clear", bytes: text });
    assert.deepEqual(response.push(Buffer.from("sk-")), {
      kind: "clear",
      bytes: Buffer.from("sk-"),
    });
  });

  test("is held back within a bound that doesn't depend on its length", () => {
    const response = createResponseScan(inbound);
    for (let index = 0; index < 1_000; index += 1) {
      const scanned = response.push(Buffer.from("sk-live-sk-live-4f1e".repeat(50)));
      assert.equal(scanned.kind, "clear");
      assert.ok(response.end().length <= 10 * (inbound.longest + 1));
    }
  });
});
