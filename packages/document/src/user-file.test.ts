import assert from "node:assert/strict";
import { test } from "node:test";
import type { DrydockError } from "@drydock/evidence";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import * as z from "zod/mini";
import { readJson } from "./json-source.js";
import { MAX_USER_FILE_BYTES, readUserFile } from "./user-file.js";
import { readYaml } from "./yaml-source.js";

const text = z.optional(z.string());
const schema = z.strictObject({
  command: z.optional(z.array(z.string())),
  cwd: text,
  image: text,
  env: z.optional(z.record(z.string(), z.string())),
  limits: z.optional(z.strictObject({ memory: text, wall: text })),
});

const read = (given: string) => readUserFile(Buffer.from(given), schema, "run.yaml");
const parse = (given: string) => read(given).value;

const refusal = (text: string): DrydockError => {
  try {
    parse(text);
  } catch (error) {
    return error as DrydockError;
  }
  throw new Error(`accepted: ${text}`);
};

test("YAML and JSON say the same", () => {
  const yaml = parse("command: [npm, test]\nlimits:\n  memory: 512MiB\nenv: {CI: 'yes'}\n");
  const json = parse('{"command":["npm","test"],"limits":{"memory":"512MiB"},"env":{"CI":"yes"}}');
  assert.deepEqual(yaml, json);
  assert.equal(yaml.env?.["CI"], "yes");
});

const PLACED: readonly (readonly [what: string, text: string, code: string, message: RegExp])[] = [
  ["a wrong type", "image: base\ncwd: 7\n", "FILE_INVALID", /^run\.yaml:2:6: cwd: /],
  ["a value deep inside", "limits:\n  wall: 5\n", "FILE_INVALID", /^run\.yaml:2:9: limits\.wall/],
  [
    "an unknown key",
    "image: base\n  \nimagge: x\n",
    "FILE_INVALID",
    /^run\.yaml:3:1: unknown key "imagge"/,
  ],
  [
    "an unknown key inside",
    "limits:\n  cpu: 1\n",
    "FILE_INVALID",
    /:2:3: unknown key "cpu" in limits/,
  ],
  ["a duplicate key", "image: base\nimage: debian\n", "FILE_SYNTAX", /^run\.yaml:2:1: /],
  ["a duplicate in JSON", '{"image":"base",\n"image":"debian"}', "FILE_SYNTAX", /:2:1: /],
  ["an alias", "cwd: &a /work\nimage: *a\n", "FILE_SYNTAX", /:2:8: an alias/],
  ["an alias to nothing", "image: *a\n", "FILE_SYNTAX", /:1:8: an alias/],
  ["an anchor", "cwd: &a /work\n", "FILE_SYNTAX", /an anchor/],
  ["a tag", "cwd: !!str /work\n", "FILE_SYNTAX", /a tag/],
  ["an own tag", "cwd: !secret /work\n", "FILE_SYNTAX", /run\.yaml:1:6/],
  ["a key that isn't text", "env: {1: a}\n", "FILE_SYNTAX", /:1:7: a key that isn't text/],
  ["a float", "limits: {memory: 7.0}\n", "FILE_SYNTAX", /:1:18: a number that isn't an integer/],
  [
    "another spelling of seven",
    "cwd: 007\n",
    "FILE_SYNTAX",
    /:1:6: a number that isn't an integer/,
  ],
  ["a number that is none", "cwd: .nan\n", "FILE_SYNTAX", /:1:6: a number that isn't an integer/],
  ["nested keys", "? ".repeat(150), "FILE_SYNTAX", /a key that isn't text/],
  ["a second document", "image: base\n---\nimage: x\n", "FILE_SYNTAX", /:2:1/],
  ["broken YAML", "command: [npm\n", "FILE_SYNTAX", /^run\.yaml:\d+:\d+/],
  ["an empty file", "", "FILE_INVALID", /^run\.yaml:1:1: file: /],
  ["a list", "- a\n", "FILE_INVALID", /^run\.yaml:1:1/],
];

for (const [what, text, code, message] of PLACED) {
  test(`${what} is refused with its place`, () => {
    const error = refusal(text);
    assert.equal(error.code, code, error.message);
    assert.match(error.message, message);
    assert.ok(error.fix);
  });
}

test("what was accepted has a line too: its own, or that of what it would stand in", () => {
  const { lineOf } = read("\n# a comment\ncommand:\n  - npm\n  - test\nlimits: {memory: 1GiB}\n");
  assert.equal(lineOf(["command", 0]), 4);
  assert.equal(lineOf(["command", 1]), 5);
  assert.equal(lineOf(["command", 7]), 4);
  assert.equal(lineOf(["limits", "wall"]), 6);
  assert.equal(lineOf(["env"]), 3);
});

test("a key that has to be there and isn't is called missing, with what belongs there", () => {
  const needed = z.strictObject({
    parts: z.array(z.strictObject({ name: z.string(), kind: z.enum(["a", "b"]) })),
    count: z.number(),
  });
  const load = (given: string) => () => readUserFile(Buffer.from(given), needed, "x");
  assert.throws(load("parts:\n  - name: n\n"), {
    message: /^x:2:5: parts\.0\.kind: missing: .*\nx:1:1: count: missing: .*$/,
  });
  assert.throws(load("parts: []\ncount: null\n"), { message: /^x:2:8: count: (?!missing)/ });
  assert.doesNotThrow(load("parts: [{name: n, kind: a}]\ncount: 1\n"));
});

test("many findings are cut, not hidden", () => {
  const error = refusal(Array.from({ length: 30 }, (_, i) => `wrong${i}: 1`).join("\n"));
  assert.equal(error.message.split("\n").length, 11);
  assert.match(error.message, /and 20 more$/);
});

test("a file that is nested too deeply is refused with that one finding", () => {
  for (const deep of ["[".repeat(30_000), "command: ".padEnd(60_000, "["), "{a: ".repeat(15_000)]) {
    const { code, message } = refusal(deep);
    assert.equal(code, "FILE_SYNTAX");
    assert.match(message, /^[^\n]*: nested too deeply$/);
  }
});

test("a file that isn't UTF-8 or far too long is refused before it is parsed", () => {
  const load = (bytes: Uint8Array) => () => readUserFile(bytes, schema, "x");
  assert.throws(load(Buffer.from([0xff, 0xfe])), { code: "FILE_ENCODING" });
  assert.throws(load(Buffer.alloc(MAX_USER_FILE_BYTES + 1, "#")), { code: "FILE_TOO_LARGE" });
  assert.doesNotThrow(load(Buffer.from(`{}${" ".repeat(MAX_USER_FILE_BYTES - 2)}`)));
});

test("control characters of a file don't reach the message", () => {
  assert.ok(!refusal('{"\\u001b[31m": 1}').message.includes("\u001b"));
});

test("any text is parsed or refused with a code, never with a crash", () => {
  const token = fc.constantFrom(
    ..."image: |command: |limits:|  |\n|- |[|]|{|}|,|'|\"|*a|&a |!t |? |#|%|---|: |a|1|~|<<: ".split(
      "|",
    ),
  );
  fc.assert(
    fc.property(fc.array(token, { maxLength: 60 }), (tokens) => {
      try {
        parse(tokens.join(""));
      } catch (error) {
        assert.match((error as DrydockError).code ?? String(error), /^FILE_/);
      }
    }),
    { numRuns: profile.fuzz, seed: profile.seed },
  );
});

const JSON_LIMIT = { maxJsonBytes: 4 * 1024 * 1024 };
const LONG = " ".repeat(MAX_USER_FILE_BYTES);

test("JSON may be longer than YAML, where its reader says so, and has its places as well", () => {
  const bytes = Buffer.from(`{"command":["npm",\n ${LONG}"test"],\n"é":0,"limits":{"wall":5}}`);
  assert.throws(() => readUserFile(bytes, schema, "run.json"), { code: "FILE_TOO_LARGE" });
  assert.throws(
    () => readUserFile(bytes, schema, "run.json", JSON_LIMIT),
    (error: DrydockError) => {
      assert.equal(error.code, "FILE_INVALID");
      assert.match(error.message, /^run\.json:3:24: limits\.wall: /m);
      assert.match(error.message, /^run\.json:3:1: unknown key "\\u00e9"/m);
      return true;
    },
  );
});

test("long YAML is refused at the place where it stops being JSON", () => {
  const bytes = Buffer.from(`{"command":\n ["npm",]}${LONG}`);
  assert.throws(() => readUserFile(bytes, schema, "run.json", JSON_LIMIT), {
    code: "FILE_SYNTAX",
    message: /^run\.json:2:9: /,
  });
});

test("a schema's refusal can have a code of its own, and so can what no schema sees", () => {
  const codeOf = (path: readonly PropertyKey[]) => (path[0] === "limits" ? "LIMITS" : null);
  const load = (given: string) => readUserFile(Buffer.from(given), schema, "x", { codeOf });
  assert.throws(() => load("cwd: 7\nlimits: {wall: 5}\n"), {
    code: "LIMITS",
    message: /^x:1:6: cwd: .*\nx:2:16: LIMITS: limits\.wall/,
  });
  assert.throws(() => load("cwd: 7\n"), { code: "FILE_INVALID" });
  const { refuse } = load("cwd: /a\nimage: b\n");
  const finding = { path: ["image"], code: "IMAGE_ELSEWHERE", what: "isn't here" };
  assert.throws(() => refuse([finding]), {
    code: "IMAGE_ELSEWHERE",
    message: /^x:2:8: IMAGE_ELSEWHERE: isn't here$/,
  });
});

test("JSON stands at the same places for its own reader as for YAML's", () => {
  const item = fc.oneof(
    fc.string(),
    fc.boolean(),
    fc.constant(null),
    fc.integer(),
    fc.array(fc.nat()),
  );
  const members = fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), item, { maxKeys: 6 });
  fc.assert(
    fc.property(members, fc.constantFrom("", " ", "\t", "  "), (given, indent) => {
      const json = JSON.stringify(given, null, indent);
      const ours = readJson(Buffer.from(json), JSON_LIMIT.maxJsonBytes);
      const yaml = readYaml(json, "x");
      assert.deepEqual(ours.value, yaml.value);
      for (const [key, value] of Object.entries(given)) {
        assert.deepEqual(ours.keyPlaceOf([], key), yaml.keyPlaceOf([], key));
        assert.deepEqual(ours.placeOf([key]), yaml.placeOf([key]));
        if (!Array.isArray(value)) continue;
        for (const index of [...value.keys(), value.length])
          assert.deepEqual(ours.placeOf([key, index]), yaml.placeOf([key, index]));
      }
    }),
    { numRuns: profile.fuzz, seed: profile.seed },
  );
});

test("of several forms the nearest one says what is wrong", () => {
  const forms = z.strictObject({
    entry: z.union([
      z.strictObject({ block: z.string() }),
      z.strictObject({
        links: z.array(z.string()),
        rules: z.array(z.strictObject({ go: z.string() })),
      }),
    ]),
  });
  const load = (given: string) => () => readUserFile(Buffer.from(given), forms, "x");
  assert.doesNotThrow(load("entry: {block: a}\n"));
  assert.throws(load("entry: {links: [a], rules: [{go: 1}]}\n"), {
    message: /^x:1:34: entry\.rules\.0\.go: /,
  });
  assert.throws(load("entry: {links: [a], rules: [], more: 1}\n"), {
    message: /^x:1:32: unknown key "more" in entry$/,
  });
  assert.throws(load("entry: {block: a, more: 1}\n"), {
    message: /^x:1:19: unknown key "more" in entry$/,
  });
});

test("a file may be of the form that its content asks for", () => {
  const one = z.strictObject({ one: z.string() });
  const two = z.strictObject({ two: z.string() });
  const load = (given: string) =>
    readUserFile<object>(
      Buffer.from(given),
      (value) => (Object.hasOwn(Object(value), "two") ? two : one),
      "x",
    );
  assert.deepEqual(load("two: a\n").value, { two: "a" });
  assert.throws(() => load("two: 1\n"), { message: /^x:1:6: two: / });
  assert.equal(load("one:\n  a\n").keyLineOf(["one"]), 1);
});

test("no key is passed over", () => {
  const map = z.record(z.string(), z.string());
  const load = (given: string) => () => readUserFile(Buffer.from(given), map, "x");
  assert.doesNotThrow(load('{"a":"b"}'));
  assert.throws(load('{"a":"b",\n"__proto__":"c"}'), { message: /^x:2:1: key "__proto__"$/ });
  assert.throws(load("a: b\n__proto__: c\n"), { message: /^x:2:1: key "__proto__"$/ });
});
