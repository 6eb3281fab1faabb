import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { deflateSync, gzipSync } from "node:zlib";
import { temporaryDirectory } from "@drydock/testkit";
import { scanDirectories } from "./scan.js";
import { searchFor } from "./values.js";

const KEY = randomBytes(24).toString("hex");
const DESCRIPTION = "about LAB_REHEARSED & <others>/+";
const PEM = [
  "-----BEGIN PRIVATE KEY-----",
  ...[1, 2, 3].map(() => randomBytes(48).toString("base64")),
  "-----END PRIVATE KEY-----",
].join("\n");
const values = searchFor([
  { id: "lab-key", value: KEY },
  { id: "description", value: DESCRIPTION },
  { id: "proxy-key", value: PEM },
]);

const scanOf = (t: TestContext, files: Readonly<Record<string, Uint8Array | string>>) => {
  const directory = temporaryDirectory(t);
  for (const [name, contents] of Object.entries(files)) {
    mkdirSync(join(directory, name, ".."), { recursive: true });
    writeFileSync(join(directory, name), contents);
  }
  return scanDirectories([directory], values);
};

const hex = (text: string): string => Buffer.from(text).toString("hex");
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const base32 = (text: string): string => {
  const bits = [...Buffer.from(text)].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return (bits.match(/.{5}/g) ?? [])
    .map((five) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[Number.parseInt(five, 2)])
    .join("");
};

/** Ways in which a value may come into a file. */
const FORMS: Readonly<Record<string, (value: string) => Uint8Array | string>> = {
  "as it is": (value) => value,
  "in a line of JSON": (value) => JSON.stringify({ message: value }),
  "in JSON with every character escaped": (value) => hex(value).replace(/../g, "\\u00$&"),
  "in JSON in a string of JSON": (value) => JSON.stringify(JSON.stringify([base64(value)])),
  "in upper case": (value) => value.toUpperCase(),
  "in UTF-16": (value) => Buffer.from(value, "utf16le"),
  "in UTF-16, the other way": (value) => Buffer.from(value, "utf16le").swap16(),
  "in hexadecimal": hex,
  "in hexadecimal, upper case": (value) => hex(value).toUpperCase(),
  "in hexadecimal, in lines": (value) => hex(value).replace(/.{16}/g, "$&\n"),
  "in base64": base64,
  "in base64, behind one byte": (value) => base64(`x${value}`),
  "in base64, behind two": (value) => base64(`xx${value}`),
  "in base64 of a login": (value) => base64(`supervisor:${value}`),
  "in base64 for URLs": (value) => Buffer.from(`${value}??>>`).toString("base64url"),
  "in base64, in lines": (value) => base64(value).replace(/.{19}/g, "$&\r\n"),
  "in base64, in lines, in JSON": (value) => base64(value).replace(/.{19}/g, "$&\\n"),
  "in base32": base32,
  "in percent, as URLs have it": encodeURIComponent,
  "in percent, everything": (value) => hex(value).replace(/../g, "%$&"),
  "in XML": (value) =>
    value.replace(/[&<>]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[c] ?? c),
  "in XML, by number": (value) => value.replace(/[\s\S]/g, (c) => `&#${c.charCodeAt(0)};`),
  "in two lines": (value) => `${value.slice(0, 17)}\n${value.slice(17)}`,
};

/** What docs/acceptance.md says that it doesn't find. */
const PASSED_OVER: Readonly<Record<string, (value: string) => Uint8Array | string>> = {
  compressed: (value) => gzipSync(value),
  "compressed, without a frame": (value) => deflateSync(value),
  "encoded twice": (value) => base64(base64(value)),
  "in hexadecimal of base64": (value) => hex(base64(value)),
  backwards: (value) => [...value].reverse().join(""),
  "in lines that are indented": (value) => `${value.slice(0, 17)}\n  ${value.slice(17)}`,
  "in pieces of less than itself": (value) => `${value.slice(0, 17)} … ${value.slice(17)}`,
  "in hexadecimal with spaces": (value) => hex(value).replace(/../g, "$& "),
  "as a list of numbers": (value) => JSON.stringify([...Buffer.from(value)]),
  hashed: (value) => createHash("sha256").update(value).digest("hex"),
};

describe("a value in a file is found", () => {
  for (const [form, encode] of Object.entries(FORMS))
    test(form, (t) => {
      for (const [id, value] of [
        ["lab-key", KEY],
        ["description", DESCRIPTION],
      ] as const) {
        const put = (what: string): Buffer =>
          Buffer.concat([
            Buffer.from("before it, "),
            Buffer.from(encode(what) as string),
            Buffer.from(" and behind"),
          ]);
        const { found, files } = scanOf(t, { "logs/controller.jsonl": put(value) });
        assert.equal(files, 1);
        assert.deepEqual(
          [...new Set(found.map(({ file, value: name }) => `${file} ${name}`))],
          [`logs/controller.jsonl ${id}`],
        );
        // The control differs in one character.
        const other = `${value.slice(0, 20)}${value[20] === "a" ? "b" : "a"}${value.slice(21)}`;
        assert.deepEqual(scanOf(t, { "logs/controller.jsonl": put(other) }).found, []);
      }
    });

  test("wherever the chunks of a long file end", (t) => {
    for (const before of [0, 65_500, 65_535, 65_536, 131_050]) {
      const text = `${"-".repeat(before)}${KEY}${"-".repeat(70_000)}`;
      assert.equal(scanOf(t, { log: text }).found.length, 1, String(before));
    }
  });

  test("by any line of a key in PEM, and not by the frame that every key has", (t) => {
    const [frame = "", ...lines] = PEM.split("\n");
    for (const line of lines.slice(0, -1))
      assert.equal(scanOf(t, { log: line }).found[0]?.value, "proxy-key");
    assert.deepEqual(scanOf(t, { log: frame }).found, []);
  });

  test("in a name, too", (t) => {
    assert.equal(scanOf(t, { [`artifacts/${KEY}`]: "" }).found[0]?.value, "lab-key");
  });

  test("and so is the body of an answer that has none of them", (t) => {
    const body = JSON.stringify({ code: 404, response_id: "MODEL_OBJECT_NOT_FOUND", data: [] });
    for (const text of [body, JSON.stringify({ body }), base64(body)])
      assert.equal(scanOf(t, { log: text }).found[0]?.value, "body-of-an-answer");
    assert.deepEqual(scanOf(t, { log: "the response id of a response" }).found, []);
  });
});

describe("what isn't promised", () => {
  for (const [form, encode] of Object.entries(PASSED_OVER))
    test(form, (t) => {
      assert.deepEqual(scanOf(t, { log: encode(KEY) }).found, []);
    });
});

test("what can't be searched is no clean directory", (t) => {
  const directory = temporaryDirectory(t);
  writeFileSync(join(directory, "a"), "a");
  assert.deepEqual(scanDirectories([directory], values), {
    files: 1,
    bytes: 1,
    values: 4,
    found: [],
  });
  symlinkSync(join(directory, "a"), join(directory, "b"));
  assert.throws(() => scanDirectories([directory], values));
});

test("a value that can't be searched for is said, and not left out", () => {
  assert.equal(searchFor([{ id: "a", value: "x".repeat(12) }]).length, 2);
  for (const value of ["", "x".repeat(11), "ünlösbar-lang", "-----BEGIN KEY-----"])
    assert.throws(() => searchFor([{ id: "a", value }]), RangeError);
});

test("more values than one search has room for are all searched for", (t) => {
  const many = searchFor(
    Array.from({ length: 150 }, (_, index) => ({
      id: `v${index}`,
      value: `planted-value-${index}-`,
    })),
  );
  const directory = temporaryDirectory(t);
  writeFileSync(join(directory, "log"), "planted-value-0- planted-value-149- planted-value-150-");
  assert.deepEqual(
    scanDirectories([directory], many).found.map(({ value }) => value),
    ["v0", "v149"],
  );
});
