import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { compileCanaries, createCanaryWatch } from "./index.js";

const VALUE = "sk-Drydock_4f/Z+9q?x1";
const canaries = compileCanaries([
  { id: "one", value: VALUE },
  { id: "two", value: "another value of it" },
]);

/** Sightings when `bytes` arrive in pieces of the given sizes, and then the rest. */
const sightings = (bytes: Uint8Array, sizes: readonly number[] = []) => {
  const watch = createCanaryWatch(canaries);
  const found = [];
  let at = 0;
  for (const size of [...sizes, bytes.length]) {
    found.push(...watch.push(bytes.subarray(at, at + size)));
    at += size;
  }
  return found;
};

const hexadecimal =
  (before: string, behind = "") =>
  (letter: string): string =>
    `${before}${letter.charCodeAt(0).toString(16).padStart(2, "0")}${behind}`;

const decimal =
  (before: string) =>
  (letter: string): string =>
    `${before}${letter.charCodeAt(0)};`;

const forms: Readonly<Record<string, (value: Buffer) => string>> = {
  plain: (value) => value.toString("latin1"),
  "upper case": (value) => value.toString("latin1").toUpperCase(),
  "lower case": (value) => value.toString("latin1").toLowerCase(),
  hex: (value) => value.toString("hex"),
  "upper-case hex": (value) => value.toString("hex").toUpperCase(),
  "UTF-16LE": (value) => Buffer.from(value.toString("latin1"), "utf16le").toString("latin1"),
  "UTF-16BE": (value) =>
    Buffer.from(value.toString("latin1"), "utf16le").swap16().toString("latin1"),
  "percent, all": (value) => value.toString("hex").replace(/../g, "%$&"),
  "percent, as needed": (value) => encodeURIComponent(value.toString("latin1")),
  "percent, every other": (value) =>
    [...value.toString("latin1")]
      .map((letter, index) =>
        index % 2 === 0 ? letter : `%${letter.charCodeAt(0).toString(16).padStart(2, "0")}`,
      )
      .join(""),
  "JSON, all": (value) => value.toString("hex").replace(/../g, "\\u00$&"),
  "JSON, upper case": (value) => value.toString("hex").toUpperCase().replace(/../g, "\\u00$&"),
  "JSON, as PHP does": (value) => value.toString("latin1").replaceAll("/", "\\/"),
  "JSON, as .NET does": (value) => value.toString("latin1").replaceAll("+", "\\u002B"),
  "JavaScript's \\x": (value) => value.toString("latin1").replace(/\W/g, hexadecimal("\\x")),
  "HTML, by number": (value) => value.toString("latin1").replace(/\W/g, decimal("&#")),
  "HTML, by number, every character": (value) =>
    value.toString("latin1").replace(/[\s\S]/g, decimal("&#00")),
  "HTML, hexadecimal": (value) => value.toString("latin1").replace(/\W/g, hexadecimal("&#x", ";")),
  "HTML, by name": (value) =>
    value
      .toString("latin1")
      .replace(
        /[+/?_]/g,
        (c) => ({ "+": "&plus;", "/": "&sol;", "?": "&quest;", _: "&lowbar;" })[c] ?? c,
      ),
  "base64 in JSON": (value) =>
    value.toString("base64").replaceAll("/", "\\/").replaceAll("+", "\\u002b"),
  "base64 in lines in JSON": (value) => value.toString("base64").replace(/.{16}/g, "$&\\r\\n"),
  "base64 in HTML": (value) => value.toString("base64").replace(/[+/=]/g, decimal("&#")),
  base64: (value) => value.toString("base64"),
  "base64, one before": (value) => Buffer.concat([Buffer.from("u"), value]).toString("base64"),
  "base64, two before": (value) => Buffer.concat([Buffer.from("u:"), value]).toString("base64"),
  "base64, some behind": (value) =>
    Buffer.concat([value, Buffer.from("tail of it")]).toString("base64"),
  base64url: (value) => Buffer.concat([value, Buffer.from("??>>")]).toString("base64url"),
  "base64 in a query": (value) => encodeURIComponent(value.toString("base64")),
  "base64 in lines": (value) => value.toString("base64").replace(/.{16}/g, "$&\r\n"),
  "hex in lines": (value) => value.toString("hex").replace(/.{30}/g, "$&\n"),
};

describe("a planted value is seen", () => {
  for (const [name, encode] of Object.entries(forms)) {
    test(`as ${name}, wherever it stands and however it is cut`, () => {
      const encoded = Buffer.from(encode(Buffer.from(VALUE)), "latin1");
      // Positive and negative control: one byte of the value differs.
      const other = Buffer.from(encode(Buffer.from(VALUE.replace("Z", "Y"))), "latin1");
      const surroundings = fc.uint8Array({ maxLength: 3_000 });
      fc.assert(
        fc.property(
          surroundings,
          surroundings,
          fc.array(fc.integer({ min: 0, max: 600 }), { maxLength: 20 }),
          (before, behind, sizes) => {
            const around = (middle: Uint8Array) =>
              Buffer.concat([before, Buffer.from("\n\n\n("), middle, Buffer.from(")"), behind]);
            assert.deepEqual(
              sightings(around(encoded), sizes).map(({ canary }) => canary),
              ["one"],
            );
            assert.deepEqual(sightings(around(other), sizes), []);
          },
        ),
        { seed: profile.seed, numRuns: Math.min(profile.fuzz, 5_000) / 4 },
      );
    });
  }

  test("split at each byte, and its end is told", () => {
    const bytes = Buffer.concat([Buffer.alloc(300, "-"), Buffer.from(VALUE), Buffer.alloc(300)]);
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      assert.deepEqual(sightings(bytes, [cut]), [
        { canary: "one", encoding: "plain", layer: "none", end: 300 + VALUE.length },
      ]);
    }
  });

  test("once for each encoding, not once for each time", () => {
    const watch = createCanaryWatch(canaries);
    const bytes = Buffer.from(`${VALUE} ${VALUE} ${Buffer.from(VALUE).toString("hex")}`);
    assert.deepEqual(
      watch.push(bytes).map(({ encoding }) => encoding),
      ["plain", "hex"],
    );
    assert.deepEqual(watch.push(bytes), []);
  });
});

describe("the search", () => {
  /** The specification: is it in there, once case and one layer are taken away? */
  const naive = (text: string, pattern: string): boolean =>
    [
      text,
      text.replace(/(?:\r|\n){1,2}/g, ""),
      text.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    ].some((layer) => layer.toLowerCase().includes(pattern.toLowerCase()));

  test("finds plain text exactly when a naive search does", () => {
    // Few letters and a periodic value: many false starts, overlaps and fallbacks.
    const value = "abaababaabaab";
    const compiled = compileCanaries([{ id: "p", value }]);
    const letters = fc.constantFrom("a", "b", "a", "b", "A", "%61", "%62", "\n", "abaababaabaa");
    const text = fc.array(letters, { maxLength: 200 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, fc.array(fc.nat(40), { maxLength: 12 }), (input, sizes) => {
        // Line breaks in a row make texts of their own, which the naive search doesn't know.
        fc.pre(!/[\r\n]{3}/.test(input) && !(input.includes("%") && input.includes("\n")));
        const watch = createCanaryWatch(compiled);
        const bytes = Buffer.from(input, "latin1");
        let at = 0;
        let found = false;
        for (const size of [...sizes, bytes.length]) {
          const some = watch.push(bytes.subarray(at, at + size));
          found ||= some.some(({ encoding }) => encoding === "plain");
          at += size;
        }
        assert.equal(found, naive(input, value));
      }),
      { seed: profile.seed, numRuns: profile.fuzz * 5 },
    );
  });

  test("takes escapes off as a parser does, wherever they are cut", () => {
    const value = "a&a/aa&a\\/aa";
    const compiled = compileCanaries([{ id: "p", value }]);
    /** The specifications: JSON's and HTML's, for the escapes that can occur here. */
    const parsed = (text: string): readonly string[] => [
      text,
      text.replace(/\\(u00([0-9a-f]{2})|[^u])/g, (_, letter, hex) =>
        hex === undefined ? letter : String.fromCharCode(Number.parseInt(hex, 16)),
      ),
      text.replace(/&(?:#(\d+)|(amp|sol));/g, (_, number, name) =>
        number === undefined
          ? ({ amp: "&", sol: "/" }[name as string] ?? "")
          : String.fromCharCode(Number(number)),
      ),
    ];
    const piece = fc.constantFrom(
      ...[
        "a",
        "&",
        "/",
        "\\",
        "\\\\",
        "\\/",
        "\\u0026",
        "\\u005c",
        "&amp;",
        "&sol;",
        "&#92;",
        "&#38;",
      ],
      ...["&am", "\\u00", "&#", "a&a/", "aa&a", value, "aa"],
    );
    const escaped = fc.array(fc.constantFrom("a", "aa", "a/", "/", "&"), { maxLength: 3 });
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 12 }),
        escaped,
        fc.constantFrom("json", "html", "none"),
        fc.array(fc.nat(9), { maxLength: 60 }),
        (before, behind, layer, sizes) => {
          const whole = [...value].map((letter, index) =>
            layer === "none" || (index + before.length) % 2 === 0
              ? letter
              : layer === "json"
                ? hexadecimal("\\u00")(letter)
                : decimal("&#")(letter),
          );
          const input = [...before, ...whole, ...behind].join("");
          const watch = createCanaryWatch(compiled);
          const bytes = Buffer.from(`${input}\n`, "latin1");
          let at = 0;
          let found = false;
          for (const size of [...sizes, bytes.length]) {
            const some = watch.push(bytes.subarray(at, at + size));
            found ||= some.some(({ encoding }) => encoding === "plain");
            at += size;
          }
          // An escape that is none passes as it is in one, and ends what began in the other.
          if (/\\u(?!00[0-9a-f]{2})/.test(input)) return;
          assert.equal(
            found,
            parsed(input).some((text) => text.includes(value)),
          );
        },
      ),
      { seed: profile.seed, numRuns: profile.fuzz * 5 },
    );
  });

  test("tells how much of the last bytes is undecided", () => {
    const watch = createCanaryWatch(canaries);
    watch.push(Buffer.from(`... ${VALUE.slice(0, 3)}`));
    assert.equal(watch.undecided(4), 0);
    watch.push(Buffer.from(VALUE.slice(3, 9)));
    assert.ok(watch.undecided(4) >= 9);
    watch.push(Buffer.from("!"));
    assert.equal(watch.undecided(1), 0);
  });

  test("of nothing finds nothing", () => {
    const watch = createCanaryWatch(compileCanaries([]));
    assert.deepEqual(watch.push(Buffer.from(VALUE)), []);
    assert.equal(watch.undecided(1), 0);
  });
});

describe("a value that can't be told from chance", () => {
  const compile = (value: string) => () => compileCanaries([{ id: "x", value }]);
  test("is refused, and a byte more is enough", () => {
    assert.throws(compile("elevenbytes"), { code: "CANARY_VALUE" });
    assert.throws(compile("not ascii: é…"), { code: "CANARY_VALUE" });
    assert.throws(compile("x".repeat(1_025)), { code: "CANARY_VALUE" });
    assert.doesNotThrow(compile("twelve bytes"));
  });
});
