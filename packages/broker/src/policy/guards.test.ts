import assert from "node:assert/strict";
import { test } from "node:test";
import { assertNoticed, runTestFileWithSwaps } from "@drydock/testkit";

interface Guard {
  readonly module: string;
  /** The guard without its guarding. */
  readonly source: string;
  readonly noticedBy: string;
  /** The test in it that does. */
  readonly test: string;
}

const decideBy = (found: string): string => `
  export const requestForm = (protocol) => (protocol === "http" ? "absolute" : "connect");
  export const decide = ({ grants }, { host, port }, form) => {
    const grant = grants.find(({ authority, protocol }) => ${found});
    return grant === undefined
      ? { kind: "refused", reason: "AUTHORITY_NOT_GRANTED", line: null }
      : { kind: "granted", grant };
  };`;

const NAME = "authority.host === host";
const PORT = "authority.port === port";
const FORM = "requestForm(protocol) === form";

const GUARDS: readonly Guard[] = [
  ...[
    ["suffixes", `host.endsWith(authority.host) && ${PORT} && ${FORM}`, "no relative"],
    ["any name", `${PORT} && ${FORM}`, "no relative"],
    ["any port", `${NAME} && ${FORM}`, "exact membership"],
    ["any form", `${NAME} && ${PORT}`, "exact membership"],
  ].map(([, found = "", noticed = ""]) => ({
    module: "decide.js",
    source: decideBy(found),
    noticedBy: "decide.test.js",
    test: noticed,
  })),
  {
    module: "trusted-key.js",
    source: `export const trustedPolicyKey = (keyId, keys) =>
      keys.kind === "key" ? keys.key : keys.trust.authorities[0].key;`,
    noticedBy: "signed.test.js",
    test: "has to let the key sign",
  },
  {
    module: "verify-signature.js",
    source: "export const verifyPolicySignature = () => undefined;",
    noticedBy: "signed.test.js",
    test: "another key's signature",
  },
  {
    module: "verify-signature.js",
    source: "export const verifyPolicySignature = () => undefined;",
    noticedBy: "appliance.test.js",
    test: "unsigned, or signed",
  },
];

const fileOf = ({ noticedBy }: Guard): URL => new URL(noticedBy, import.meta.url);

for (const [index, guard] of GUARDS.entries()) {
  test(`removing ${guard.module} is noticed (${index + 1}: ${guard.test})`, () => {
    const swap = { module: `packages/broker/dist/policy/${guard.module}`, source: guard.source };
    assertNoticed(fileOf(guard), [swap], guard.test);
  });
}

test("the control: with nothing removed, each of these tests runs and passes", () => {
  const distinct = new Map(GUARDS.map((guard) => [guard.noticedBy + guard.test, guard]));
  for (const guard of distinct.values()) {
    const result = runTestFileWithSwaps(fileOf(guard), [], guard.test);
    assert.ok(!result.failed, result.output.slice(-2_000));
    assert.match(result.output, /^# pass [1-9]/m, guard.test);
  }
});
