import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { assertNoticed } from "@drydock/testkit";

interface Guard {
  readonly module: string;
  /** The guard without its guarding. */
  readonly source: string;
  /** Test file that has to notice, relative to this folder. */
  readonly noticedBy: string;
  /** The tests in it that do. */
  readonly tests: string;
}

const GUARDS: readonly Guard[] = [
  {
    module: "appliance/request/privilege.js",
    source: `
      export const ALL_PRIVILEGES = "page-all";
      export const privilegeOf = (path, method) => path.slice(1).replace(/[/_]/g, "-") + "-" + method.toLowerCase();
      export const authorise = () => {};`,
    noticedBy: "appliance/request/admit.test.js",
    tests: "not against: privilege",
  },
  {
    module: "appliance/request/read-only.js",
    source: "export const refuseWriteWhenReadOnly = () => {};",
    noticedBy: "appliance/request/admit.test.js",
    tests: "is turned on by a client and off by none",
  },
  {
    module: "appliance/server/place.js",
    source: "export const requirePlace = () => {};",
    noticedBy: "appliance/server/place.test.js",
    tests: "not at address",
  },
  {
    module: "appliance/server/namespace.js",
    source: "export const requireIsolation = () => {};",
    noticedBy: "appliance/server/place.test.js",
    tests: "not where there is",
  },
  {
    module: "appliance/server/fresh-namespace.js",
    source: "export const requireFreshNamespace = () => {};",
    noticedBy: "appliance/server/fresh-namespace.test.js",
    tests: "not ",
  },
  {
    module: "supervisor/place-name.js",
    source: `
      export * from "./place-name.js?real";
      export const isAbandoned = (name) => name.startsWith("rehearsal-");`,
    noticedBy: "supervisor/abandoned.test.js",
    tests: "isn't what somebody who lives works on",
  },
  {
    module: "approval/require-approval.js",
    source: `
      import { parseApproval } from "./approval.js";
      export * from "./require-approval.js?real";
      export const requireApproval = (bytes) => parseApproval(bytes);`,
    noticedBy: "approval/approval.test.js",
    tests: "for one command",
  },
  {
    module: "attestation/require-valid.js",
    source: `
      export const MAX_VALIDITY_MS = 600_000;
      export const MAX_AHEAD_MS = 30_000;
      export const requireValid = () => {};`,
    noticedBy: "attestation/attestation.test.js",
    tests: "ends when it says",
  },
  {
    module: "configuration/candidate.js",
    source: `export const CANDIDATE_FORM = ""; export const isCandidate = () => true;`,
    noticedBy: "configuration/configuration.test.js",
    tests: "have PFSENSE_LAB_CANDIDATE",
  },
  {
    module: "configuration/owner-only.js",
    source: `
      import { readFileSync } from "node:fs";
      export const MAX_OWNER_FILE_BYTES = 16_384;
      export const readOwnerOnly = (path) => readFileSync(path);`,
    noticedBy: "configuration/configuration.test.js",
    tests: "with mode 640 is refused",
  },
  {
    module: "exit/is-proven-revoked.js",
    source: "export const isProvenRevoked = () => true;",
    noticedBy: "harness/harness.test.js",
    tests: ".",
  },
  {
    module: "report/scan.js",
    source: `
      export const scanDirectories = () => ({ files: 1, bytes: 1, values: 1, found: [] });`,
    noticedBy: "report/scan.test.js",
    tests: "as it is",
  },
  {
    module: "scenario/departures.js",
    source: "export const departures = () => [];",
    noticedBy: "scenario/oracle.test.js",
    tests: "an oracle holds",
  },
  {
    module: "scenario/play/in-vain.js",
    source: "export const arrangedInVain = () => [];",
    noticedBy: "scenario/play/in-vain.test.js",
    tests: "met no request",
  },
  {
    module: "scenario/play/require-restored.js",
    source: "export const requireRestored = () => {};",
    noticedBy: "scenario/run-scenario.test.js",
    tests: "begins nothing",
  },
  {
    module: "scenario/unexpected.js",
    source: `
      export * from "./unexpected.js?real";
      export const unexpectedOf = (error) => ({ code: String(error?.message ?? error), at: null });`,
    noticedBy: "scenario/unexpected.test.js",
    tests: "its message isn't",
  },
  {
    module: "supervisor/console-scope.js",
    source: "export const requireTargetsPath = () => {};",
    noticedBy: "supervisor/console-scope.test.js",
    tests: "gives nobody a permission",
  },
  {
    module: "supervisor/exact-privileges.js",
    source: `
      export * from "./exact-privileges.js?real";
      export const requireExactPrivileges = () => {};`,
    noticedBy: "supervisor/exact-privileges.test.js",
    tests: "and no more",
  },
  {
    module: "supervisor/within.js",
    source: "export const isWithin = () => true;",
    noticedBy: "supervisor/handed-stores.test.js",
    tests: "and nowhere else",
  },
  {
    module: "target/lab-address.js",
    source: "export const isLabAddress = () => true;",
    noticedBy: "target/target.test.js",
    tests: "is not .*, first or last",
  },
  {
    module: "target/lab-name.js",
    source: "export const isLabName = () => true;",
    noticedBy: "target/target.test.js",
    tests: "evil.lab.invalid.example.com.* is refused",
  },
  {
    module: "target/pin-address.js",
    source: "export const pinAddress = async ({ host }, lookup) => (await lookup(host))[0];",
    noticedBy: "target/target.test.js",
    tests: "is not .*, first or last",
  },
  {
    module: "transport/readable.js",
    source: "export const isReadable = () => true;",
    noticedBy: "transport/transport.test.js",
    tests: "of a path that isn't listed is never asked",
  },
  {
    module: "transport/writable.js",
    source: `export const writablePath = (symbol) => "/api/v2/" + symbol;`,
    noticedBy: "transport/transport.test.js",
    tests: "of what isn't listed is none",
  },
];

for (const guard of GUARDS) {
  test(`without ${guard.module} something is noticed`, () => {
    const file = new URL(guard.noticedBy, import.meta.url);
    const module = `packages/lab/dist/${guard.module}`;
    assertNoticed(file, [{ module, source: guard.source }], guard.tests);
  });
}

test("every guard of the lab is taken away once", () => {
  const sources = new URL("../src/", import.meta.url);
  const marked = readdirSync(sources, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .filter((file) => /\b(A g|G)uard:/.test(readFileSync(new URL(file, sources), "utf8")))
    .map((file) => file.replace(/\.ts$/, ".js"));
  assert.deepEqual(marked.sort(), GUARDS.map(({ module }) => module).sort());
});
