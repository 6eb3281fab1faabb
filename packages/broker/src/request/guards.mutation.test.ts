import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertNoticed, runTestFileWithSwaps } from "@drydock/testkit";

const compiled = (file: string): string => JSON.stringify(new URL(file, import.meta.url).href);

/** What several of the replacements need of field.js, which isn't replaced with them. */
const FIELDS = `import { listOf, valuesOf } from ${compiled("./field.js")};`;

/** Each guard of this folder is taken away once; its own tests have to notice. */
const GUARDS = [
  {
    what: "createHeadLines that takes a bare LF for a line's end, as RFC 9112 allows",
    module: "packages/broker/dist/request/head-lines.js",
    source: `export const createHeadLines = (maxBytes, onLine) => {
      let text = "";
      return (bytes) => {
        text += Buffer.from(bytes).toString("latin1");
        const end = /\\r?\\n\\r?\\n/.exec(text);
        if (end === null) return { kind: text.length >= maxBytes ? "too-large" : "more" };
        const lines = text.slice(0, end.index).split(/\\r?\\n/);
        if (!lines.every(onLine)) return { kind: "stopped" };
        return { kind: "end", rest: Buffer.from(text.slice(end.index + end[0].length), "latin1") };
      };
    };`,
    test: "./request-reader.test.js",
  },
  {
    what: "readRequestLine that splits on any white space",
    module: "packages/broker/dist/request/request-line.js",
    source: `import { parseAuthority, parseAuthorityOr } from ${compiled("../authority/parse.js")};
      export const readRequestLine = (line) => {
        const [method, target, protocol] = line.trim().split(/\\s+/);
        const version = protocol?.slice(5);
        if (method === "CONNECT") return { ...parseAuthority(target), kind: "connect", version };
        const url = new URL(target);
        return { ...parseAuthorityOr(url.host, 80), kind: "absolute", method,
          path: url.pathname, query: url.search.slice(1) || null, version };
      };`,
    test: "./request-reader.test.js",
  },
  {
    what: "readPath",
    module: "packages/broker/dist/request/path.js",
    source: `export const readPath = (text) => {
      const [path, query = null] = text.split("?");
      return { path, query };
    };`,
    test: "./request-reader.test.js",
  },
  {
    what: "readField that trims names",
    module: "packages/broker/dist/request/field.js",
    source: `export const isToken = (text) => text !== "" && !/[^!-~]|[()<>@,;:\\\\"/[\\]?={}]/.test(text);
      export const readField = (line) => {
        const [name, ...value] = line.split(":");
        return { name: name.trim().toLowerCase(), value: value.join(":").trim() };
      };
      export const valuesOf = (fields, name) =>
        fields.filter((field) => field.name === name).map((field) => field.value);
      export const listOf = (fields, name) =>
        valuesOf(fields, name).flatMap((value) => value.split(",")).map((member) => member.trim().toLowerCase());`,
    test: "./request-reader.test.js",
  },
  {
    what: "readFraming that prefers Transfer-Encoding, as RFC 9112 allows",
    module: "packages/broker/dist/request/framing.js",
    source: `${FIELDS}
      export const readFraming = (fields) => {
        const [coding] = valuesOf(fields, "transfer-encoding");
        const [length] = valuesOf(fields, "content-length");
        if (coding?.toLowerCase().includes("chunked")) return { kind: "chunked" };
        return length === undefined ? { kind: "unsaid" } : { kind: "length", bytes: Number.parseInt(length, 10) };
      };`,
    test: "./request-reader.test.js",
  },
  {
    what: "readFraming, in responses",
    module: "packages/broker/dist/request/framing.js",
    source: `${FIELDS}
      export const readFraming = (fields) => {
        const [length] = valuesOf(fields, "content-length");
        return valuesOf(fields, "transfer-encoding").length > 0
          ? { kind: "chunked" }
          : length === undefined ? { kind: "unsaid" } : { kind: "length", bytes: Number(length) };
      };`,
    test: "./response-reader.test.js",
  },
  {
    what: "connectionIsHonest",
    module: "packages/broker/dist/request/connection-field.js",
    source: "export const connectionIsHonest = () => true;",
    test: "./request-reader.test.js",
  },
  {
    what: "endToEndFields",
    module: "packages/broker/dist/request/hop-by-hop.js",
    source: "export const endToEndFields = (fields) => fields;",
    test: "./write-head.test.js",
  },
  {
    what: "endToEndFields that ignores what Connection names",
    module: "packages/broker/dist/request/hop-by-hop.js",
    source: `export const endToEndFields = (fields) =>
      fields.filter(({ name }) => !/^(connection|keep-alive|te|trailer|upgrade|proxy-.*|transfer-encoding|http2-settings)$/.test(name));`,
    test: "./write-head.test.js",
  },
  {
    what: "hostAgrees",
    module: "packages/broker/dist/request/host-field.js",
    source: "export const hostAgrees = () => true;",
    test: "./request-reader.test.js",
  },
  {
    what: "createChunkedReader that takes what llhttp took once",
    module: "packages/broker/dist/request/chunked.js",
    source: `export const createChunkedReader = () => {
      let text = "";
      return (bytes) => {
        text += Buffer.from(bytes).toString("latin1");
        let at = 0;
        const data = [];
        for (;;) {
          const line = /([^\\n]*)\\n/y;
          line.lastIndex = at;
          const [all, size] = line.exec(text) ?? [];
          if (all === undefined) return { kind: "data", data };
          const length = Number.parseInt(size, 16);
          if (Number.isNaN(length)) return { kind: "refused", reason: "FRAMING" };
          at += all.length;
          if (length === 0) return { kind: "end", data, rest: Buffer.from(text.slice(at + 2), "latin1") };
          data.push(Buffer.from(text.slice(at, at + length), "latin1"));
          at += length + 2;
        }
      };
    };`,
    test: "./body-reader.test.js",
  },
] as const;

describe("without its guard a test fails", () => {
  for (const { what, module, source, test } of GUARDS) {
    it(what, () => {
      assertNoticed(new URL(test, import.meta.url), [{ module, source }]);
    });
  }

  it("and with all of them none does", () => {
    for (const test of new Set(GUARDS.map((guard) => guard.test))) {
      assert.equal(runTestFileWithSwaps(new URL(test, import.meta.url), []).failed, false);
    }
  });
});
