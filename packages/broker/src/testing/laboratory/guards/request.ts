import { type Guard, simply } from "./guard.js";

/** How a request is read. */
export const REQUEST_GUARDS: readonly Guard[] = [
  {
    module: "request/head-lines",
    what: "takes a bare LF for a line's end",
    source: simply(`export const createHeadLines = (maxBytes, onLine) => {
      let text = "";
      return (bytes) => {
        text += Buffer.from(bytes).toString("latin1");
        const end = /\\r?\\n\\r?\\n/.exec(text);
        if (end === null) return { kind: text.length >= maxBytes ? "too-large" : "more" };
        if (!text.slice(0, end.index).split(/\\r?\\n/).every(onLine)) return { kind: "stopped" };
        return { kind: "end", rest: Buffer.from(text.slice(end.index + end[0].length), "latin1") };
      };
    };`),
    cells: "CONNECT: head",
  },
  {
    module: "request/request-line",
    what: "splits at any white space",
    source: (from) => `import { parseAuthority, parseAuthorityOr } from ${from("authority/parse")};
      export const readRequestLine = (line) => {
        const [method, target, protocol] = line.trim().split(/\\s+/);
        const version = protocol?.slice(5) ?? "1.0";
        if (method === "CONNECT") return { kind: "connect", ...parseAuthority(target), kind: "connect", version };
        if (!URL.canParse(target)) return { kind: "refused", reason: "METHOD" };
        const url = new URL(target);
        return { ...parseAuthorityOr(url.host, 80), kind: "absolute", method,
          path: url.pathname, query: null, version };
      };`,
    cells: "absolute-form: head",
  },
  {
    module: "request/field",
    what: "trims names and takes folded lines",
    source: simply(`export const isToken = (text) => text !== "" && !/[^!-~]/.test(text);
      export const readField = (line) => {
        const [name, ...value] = line.split(":");
        return { name: name.trim().toLowerCase(), value: value.join(":").trim() };
      };
      export const valuesOf = (fields, name) =>
        fields.filter((field) => field.name === name).map((field) => field.value);
      export const listOf = (fields, name) =>
        valuesOf(fields, name).flatMap((value) => value.split(","))
          .map((member) => member.trim().toLowerCase());`),
    cells: "CONNECT: head",
  },
  {
    module: "request/framing",
    what: "prefers Transfer-Encoding, as RFC 9112 allows",
    source: (from) => `import { valuesOf } from ${from("request/field")};
      export const readFraming = (fields) => {
        const [coding] = valuesOf(fields, "transfer-encoding");
        const [length] = valuesOf(fields, "content-length");
        if (coding?.toLowerCase().includes("chunked")) return { kind: "chunked" };
        return length === undefined
          ? { kind: "unsaid" }
          : { kind: "length", bytes: Number.parseInt(length, 10) };
      };`,
    cells: "absolute-form: head",
  },
  {
    module: "request/chunked",
    what: "takes the sizes and line ends that some servers take",
    source: simply(`export const createChunkedReader = () => {
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
          const length = Math.abs(Number.parseInt(size, 16) || 0);
          at += all.length;
          if (length === 0)
            return { kind: "end", data, rest: Buffer.from(text.slice(at + 2), "latin1") };
          data.push(Buffer.from(text.slice(at, at + length), "latin1"));
          at += length + 2;
        }
      };
    };`),
    cells: "absolute-form: head",
  },
  {
    module: "request/connection-field",
    what: "lets Connection name anything",
    source: simply("export const connectionIsHonest = () => true;"),
    cells: "absolute-form: head",
  },
  {
    module: "request/hop-by-hop",
    what: "passes every field on",
    source: simply("export const endToEndFields = (fields) => fields;"),
    cells: "absolute-form: head",
  },
  {
    module: "request/host-field",
    what: "ignores Host",
    source: simply("export const hostAgrees = () => true;"),
    cells: "CONNECT: head",
  },
  {
    module: "request/path",
    what: "takes every path",
    source: simply(`export const readPath = (text) => {
      const [path, query = null] = text.split("?");
      return { path, query };
    };`),
    cells: "absolute-form: head",
  },
];
