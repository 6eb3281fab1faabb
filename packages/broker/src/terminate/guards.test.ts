import { test } from "node:test";
import { assertNoticed } from "@drydock/testkit";

interface Guard {
  readonly module: string;
  /** The guard without its guarding. */
  readonly source: string;
  /** Test file that has to notice, relative to dist/. */
  readonly noticedBy: string;
  /** The test in it that does. */
  readonly test: string;
}

const GUARDS: readonly Guard[] = [
  {
    module: "terminate/host-equality.js",
    source: "export const isRequestFor = () => true;",
    noticedBy: "terminate/secrets.test.js",
    test: "raw requests never reach another host",
  },
  {
    module: "terminate/rule-match.js",
    source: "export const matchingRule = () => 0;",
    noticedBy: "terminate/requests.test.js",
    test: "GET /private: 403",
  },
  {
    module: "terminate/path-form.js",
    source: "export const isPathAmbiguous = () => false;",
    noticedBy: "terminate/requests.test.js",
    test: "GET /public/../private",
  },
  {
    module: "secret/place.js",
    source: `
      export const placeSecrets = (target, fields, here) => ({
        kind: "placed",
        used: [],
        fields: fields.map(([name, value]) =>
          [name, here.reduce((text, secret) => text.replaceAll(secret.placeholder, secret.reveal()), value)]),
      });`,
    noticedBy: "terminate/secrets.test.js",
    test: "is refused in another field",
  },
  {
    module: "secret/file.js",
    source: `
      import { readFileSync } from "node:fs";
      export const readSecretFile = (file) => readFileSync(file);`,
    noticedBy: "secret/file.test.js",
    test: "one with mode 640 doesn't",
  },
  {
    module: "terminate/response-scan.js",
    source: `
      export const createResponseScan = () => ({
        push: (bytes) => ({ kind: "clear", bytes }),
        end: () => new Uint8Array(),
      });`,
    noticedBy: "terminate/secrets.test.js",
    test: "in its body is cut",
  },
  {
    module: "terminate/verification.js",
    source: "export const upstreamVerification = () => ({ rejectUnauthorized: false });",
    noticedBy: "terminate/upstream.test.js",
    test: "by a root that is named",
  },
  {
    module: "terminate/name-constraints.js",
    source: `
      export const nameConstraints = () =>
        Uint8Array.from([0x30, 0x0e, 0xa1, 0x0c, 0x30, 0x0a, 0x87, 0x08, 0, 0, 0, 0, 0, 0, 0, 0]);`,
    noticedBy: "terminate/ca.test.js",
    test: "other.example.com isn't permitted",
  },
  {
    module: "tap/watch-connection.js",
    source: "export const watchConnection = (client) => client;",
    noticedBy: "tap/tap.test.js",
    test: "is cut at the first canary up",
  },
];

for (const guard of GUARDS) {
  test(`without ${guard.module} something is noticed`, () => {
    const file = new URL(`../${guard.noticedBy}`, import.meta.url);
    const module = `packages/broker/dist/${guard.module}`;
    assertNoticed(file, [{ module, source: guard.source }], guard.test);
  });
}
