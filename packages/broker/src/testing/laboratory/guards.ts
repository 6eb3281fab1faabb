/** A guard of the broker, and one that lets pass what it kept. */
export interface Guard {
  /** Under packages/broker/dist, without the ending. */
  readonly module: string;
  readonly what: string;
  /** An ES module that exports what the original does; `from` makes a specifier beside it. */
  readonly source: (from: (module: string) => string) => string;
  /** Name of the cells that notice, as a pattern. */
  readonly cells: string;
}

/** A guard of what is read before any client is there: a test of its own notices. */
export interface GuardBeside extends Omit<Guard, "cells"> {
  /** Under packages/broker/dist, without the ending. */
  readonly test: string;
}

const simply =
  (source: string): Guard["source"] =>
  () =>
    source;

export const GUARDS: readonly Guard[] = [
  {
    module: "authority/ip-spelling",
    what: "knows canonical spellings only",
    source: simply(`import { isIP } from "node:net";
      export const isIpSpelling = (text) =>
        isIP(text.replace(/:[0-9]+$/, "").replace(/[[\\]]/g, "")) !== 0;`),
    cells: "CONNECT, direct: address",
  },
  {
    module: "authority/host",
    what: "takes every host",
    source: simply(
      `export const readHost = (text) => ({ kind: "host", host: text.replace(/\\.+$/, "").toLowerCase() });`,
    ),
    cells: "CONNECT, direct: name",
  },
  {
    module: "authority/idna",
    what: "takes every A-label",
    source: simply("export const idnaKeeps = () => true;"),
    cells: "CONNECT, direct: name",
  },
  {
    module: "authority/port",
    what: "reads ports as parseInt does",
    source: simply(`export const readPort = (text) => (Number.parseInt(text, 10) || 80) & 0xffff;`),
    cells: "CONNECT, direct: port",
  },
  {
    module: "authority/parse",
    what: "mends as a URL parser does",
    source: (from) => `import { readHost } from ${from("authority/host")};
      export const parseAuthority = (text) => {
        if (!URL.canParse("wss://" + text.trim())) return { kind: "refused", reason: "URL" };
        const url = new URL("wss://" + text.trim());
        const host = readHost(url.hostname);
        return host.kind === "refused"
          ? host
          : { kind: "authority", authority: { host: host.host, port: Number(url.port || 443) } };
      };
      export const parseAuthorityOr = parseAuthority;`,
    cells: "CONNECT, redirect: name",
  },
  {
    module: "policy/decide",
    what: "matches suffixes and any port",
    source: simply(`export const requestForm = () => "connect";
      export const decide = ({ grants }, { host }) => {
        const grant = grants.find(({ authority }) => host.endsWith(authority.host.slice(4)));
        return grant === undefined
          ? { kind: "refused", reason: "AUTHORITY_NOT_GRANTED", line: null }
          : { kind: "granted", grant };
      };`),
    cells: "absolute-form, keep-alive reuse: name",
  },
  {
    module: "policy/decide",
    what: "grants any form",
    source: simply(`export const requestForm = () => "connect";
      export const decide = ({ grants }, { host, port }) => {
        const grant = grants.find(({ authority }) => authority.host === host && authority.port === port);
        return grant === undefined
          ? { kind: "refused", reason: "AUTHORITY_NOT_GRANTED", line: null }
          : { kind: "granted", grant };
      };`),
    cells: "CONNECT: head",
  },

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

  {
    module: "resolve/answer/echoes",
    what: "takes any answer for its own",
    source: simply("export const echoes = () => true;"),
    cells: "CONNECT: late answer",
  },
  {
    module: "resolve/answer/over-limit",
    what: "has no limits",
    source: simply("export const overLimit = () => false;"),
    cells: "CONNECT: answer",
  },
  {
    module: "resolve/answer/follow",
    what: "takes every address in an answer",
    source: simply(`export const followAliases = (name, records) => ({
      kind: "addresses",
      ttl: 60,
      addresses: records.flatMap(({ address }) => address === undefined ? [] : [address]),
    });`),
    cells: "CONNECT: answer",
  },
  {
    module: "resolve/message/read-name",
    what: "takes every pointer for the name that was asked for",
    source: simply(`export const readName = (message, start) => {
      for (let at = start, name = ""; at < message.length; ) {
        const head = message[at];
        if (head >= 0xc0) {
          const end = message.indexOf(0, 12) + 1;
          return { name: String.fromCharCode(...message.subarray(12, end)), next: at + 2 };
        }
        name += String.fromCharCode(...message.subarray(at, at + 1 + head));
        at += 1 + head;
        if (head === 0) return { name, next: at };
      }
      return null;
    };`),
    cells: "CONNECT: answer",
  },
  {
    module: "resolve/message/read-address",
    what: "takes addresses of any length",
    source: simply(
      "export const readAddress = (family, bytes) => ({ family, bytes: bytes.slice(0, family === 4 ? 4 : 16) });",
    ),
    cells: "CONNECT: answer",
  },
  {
    module: "resolve/lookup/settle",
    what: "is content with one family",
    source: simply(`export const settle = (v4, v6) => {
      const addresses = [...(v4.addresses ?? []), ...(v6.addresses ?? [])];
      return addresses.length > 0 ? { kind: "addresses", addresses, ttl: 60 } : null;
    };`),
    cells: "CONNECT: late answer",
  },
  {
    module: "resolve/keep/is-fresh",
    what: "keeps an answer for good",
    source: simply("export const isFresh = () => true;"),
    cells: "CONNECT: answer",
  },
  {
    module: "resolve/keep/is-fresh",
    what: "keeps an answer for as long as it may, whatever its records say",
    source: simply(
      "export const isFresh = ({ askedAt }, at, maxAgeMs) => at - askedAt < maxAgeMs;",
    ),
    cells: "CONNECT: answer",
  },
  {
    module: "address/all-global",
    what: "looks at the first address only",
    source: (from) => `import { classifyAddress } from ${from("address/classify")};
      export const allGlobal = ([address]) =>
        address === undefined
          ? { kind: "refused", address: null, class: null }
          : classifyAddress(address).kind === "global"
            ? { kind: "global" }
            : { kind: "refused", address, class: classifyAddress(address) };`,
    cells: "CONNECT: answer",
  },
  {
    module: "address/classify",
    what: "takes every address for a global one",
    source: simply(`export const classifyAddress = () => ({ kind: "global" });`),
    cells: "CONNECT: answer",
  },
  {
    module: "address/embedded-ipv4",
    what: "sees no embedded address",
    source: simply("export const embeddedIpv4 = () => [];"),
    cells: "CONNECT: answer",
  },

  {
    module: "terminate/host-equality",
    what: "takes any Host",
    source: simply("export const isRequestFor = () => true;"),
    cells: "CONNECT: request",
  },
  {
    module: "terminate/response-scan",
    what: "sees nothing",
    source: simply(`export const createResponseScan = () => ({
      push: (bytes) => ({ kind: "clear", bytes }),
      end: () => new Uint8Array(),
    });`),
    cells: "CONNECT: request",
  },
  {
    module: "terminate/verification",
    what: "believes every certificate",
    source: simply(
      "export const upstreamVerification = () => ({ rejectUnauthorized: false, checkServerIdentity: () => undefined });",
    ),
    cells: "CONNECT: request",
  },
  {
    module: "secret/place",
    what: "puts secrets wherever their placeholder is",
    source: simply(`export const placeSecrets = (target, fields, here, elsewhere) => ({
      kind: "placed",
      fields: fields.map(([name, value]) => [name, [...here, ...elsewhere].reduce(
        (text, secret) => text.replaceAll(secret.placeholder, secret.reveal()), value)]),
      used: here.map(({ name }) => name),
    });`),
    cells: "CONNECT: request",
  },

  {
    module: "service/has-room",
    what: "has room for everybody",
    source: simply("export const hasRoom = () => true;"),
    cells: "CONNECT: bound, connections",
  },
  {
    module: "service/is-connected-to",
    what: "believes what it asked for",
    source: simply("export const isConnectedTo = () => true;"),
    cells: "CONNECT: bound, a dial",
  },
  {
    module: "service/judge-request",
    what: "has no rules",
    source: simply("export const judgeRequest = () => null;"),
    cells: "absolute-form: head",
  },
  {
    module: "terminate/path-form",
    what: "takes every path for unambiguous",
    source: simply("export const isPathAmbiguous = () => false;"),
    cells: "absolute-form: head",
  },
  {
    module: "terminate/rule-match",
    what: "matches the start of any path",
    source: simply("export const matchingRule = () => 0;"),
    cells: "absolute-form: head",
  },
  {
    module: "tunnel/limit",
    what: "has no limits",
    source: simply("export const isOverLimit = () => false;"),
    cells: "CONNECT: bound, bytes",
  },
  {
    module: "tunnel/reset",
    what: "ends where it should reset",
    source: simply("export const resetStream = (stream) => { stream.destroy(); };"),
    cells: "CONNECT: hello",
  },
  {
    module: "hello/bind-hello",
    what: "binds every hello",
    source: simply(`export const bindHello = () => ({ kind: "bound" });`),
    cells: "CONNECT: hello",
  },
  {
    module: "hello/bind-hello",
    what: "binds what ends like the authority",
    source: simply(`export const bindHello = ({ serverName }, { host }) =>
      serverName?.toLowerCase().replace(/\\.$/, "").endsWith(host)
        ? { kind: "bound" }
        : { kind: "refused", reason: "SNI_DIFFERENT" };`),
    cells: "CONNECT: hello",
  },
];

export const GUARDS_BESIDE: readonly GuardBeside[] = [
  {
    module: "secret/file",
    what: "takes a file that anybody can read",
    source: simply(`import { readFileSync } from "node:fs";
      export const readSecretFile = (file) => readFileSync(file);`),
    test: "secret/file.test",
  },
];

/** Guards that no client can reach through a broker, and which mutation test takes them away. */
export const TAKEN_AWAY_ELSEWHERE: ReadonlyMap<string, string> = new Map([
  // The kernel keeps others' datagrams from a connected socket; it counts only until then.
  ["resolve/sockets/from-server", "resolve/guards.mutation.test"],
  // It needs a broker that has written its last receipt.
  ["service/has-decisions-left", "service/guards.mutation.test"],
  // It needs several processes.
  ["standalone/share-of", "service/guards.mutation.test"],
  // It needs a process that is short of descriptors.
  ["service/connections-for", "service/guards.mutation.test"],
  // It needs a receipt of a boundary's.
  ["service/withheld-for", "service/guards.mutation.test"],
]);
