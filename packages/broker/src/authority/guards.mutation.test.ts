import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertNoticed, runTestFileWithSwaps } from "@drydock/testkit";

/** Each guard of this folder is taken away once; its own tests have to notice. */
const GUARDS = [
  {
    what: "isIpSpelling",
    module: "packages/broker/dist/authority/ip-spelling.js",
    source: "export const isIpSpelling = () => false;",
  },
  {
    what: "isIpSpelling that knows canonical spellings only",
    module: "packages/broker/dist/authority/ip-spelling.js",
    source: `import { isIP } from "node:net";
      export const isIpSpelling = (text) => isIP(text.replace(/:[0-9]+$/, "").replace(/[[\\]]/g, "")) !== 0;`,
  },
  {
    what: "readHost",
    module: "packages/broker/dist/authority/host.js",
    source: `export const readHost = (text) => ({ kind: "host", host: text.toLowerCase() });`,
  },
  {
    what: "idnaKeeps",
    module: "packages/broker/dist/authority/idna.js",
    source: "export const idnaKeeps = () => true;",
  },
  {
    what: "readPort",
    module: "packages/broker/dist/authority/port.js",
    source: "export const readPort = (text) => Number.parseInt(text, 10) || null;",
  },
  {
    what: "parseAuthority that mends what it can",
    module: "packages/broker/dist/authority/parse.js",
    source: `import { readHost } from ${JSON.stringify(new URL("./host.js", import.meta.url).href)};
      export const parseAuthority = (text) => {
        const url = new URL("wss://" + text.trim());
        const host = readHost(url.hostname);
        return host.kind === "refused"
          ? host
          : { kind: "authority", authority: { host: host.host, port: Number(url.port || 443) } };
      };
      export const parseAuthorityOr = parseAuthority;`,
  },
] as const;

describe("without its guard a test fails", () => {
  const file = new URL("./parse.test.js", import.meta.url);

  for (const { what, module, source } of GUARDS) {
    it(what, () => {
      assertNoticed(file, [{ module, source }]);
    });
  }

  it("and with all of them none does", () => {
    assert.equal(runTestFileWithSwaps(file, []).failed, false);
  });
});
