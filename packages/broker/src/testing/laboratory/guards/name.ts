import { type Guard, simply } from "./guard.js";

/** Which name and port somebody means, and whether the policy grants it. */
export const NAME_GUARDS: readonly Guard[] = [
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
];
