import assert from "node:assert/strict";
import { test } from "node:test";
import { assertNoticed, runTestFileWithSwaps } from "@drydock/testkit";

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
    module: "keys/verify-signature.js",
    source: "export const isSignatureValid = () => true;",
    noticedBy: "verify/attacks.test.js",
    test: "flipping any byte of a signature",
  },
  {
    module: "keys/small-order.js",
    source: "export const isSmallOrder = () => false;",
    noticedBy: "keys/keys.test.js",
    test: "small-order keys are refused",
  },
  {
    module: "json/is-canonical.js",
    source: "export const isCanonicalFormOf = () => true;",
    noticedBy: "json/canonical.test.js",
    test: "refuse every other spelling",
  },
  {
    module: "log/chain.js",
    source: "export const chainProblem = () => null;",
    noticedBy: "log/writer.test.js",
    test: "skips nothing",
  },
  {
    module: "record/check-event.js",
    source: "export const eventProblem = () => null;",
    noticedBy: "verify/attacks.test.js",
    test: "stays a guest",
  },
  {
    module: "trust/may-assert.js",
    source: "export const mayAssert = () => true;",
    noticedBy: "verify/attacks.test.js",
    test: "class that a key",
  },
  {
    module: "trust/may-sign.js",
    source: "export const maySign = () => true;",
    noticedBy: "verify/attacks.test.js",
    test: "class that a key",
  },
  {
    module: "trust/delegated-authority.js",
    source: `
      import { importPublicKey } from "../keys/key.js";
      export const delegatedAuthority = ({ measurements }, delegator) => ({
        ...delegator,
        key: importPublicKey(Buffer.from(measurements.spki, "base64")),
        roles: [measurements.role],
        classes: measurements.classes,
        namespaces: ["log"],
      });`,
    noticedBy: "verify/attacks.test.js",
    test: "class that a key",
  },
  {
    module: "run/countersign.js",
    source: `
      export const countersignatureOf = () => ({ role: "", size: 0, root: "", sequence: 0 });
      export const countersignFindings = () => [];`,
    noticedBy: "verify/attacks.test.js",
    test: "behind the controller",
  },
  {
    module: "run/shared-keys.js",
    source: "export const sharedKeyFindings = () => [];",
    noticedBy: "verify/attacks.test.js",
    test: "one key for two roles",
  },
  {
    module: "verify/binding.js",
    source: "export const bindingFindings = () => [];",
    noticedBy: "verify/attacks.test.js",
    test: "both logs cut back",
  },
  {
    module: "verify/rederive.js",
    source: "export const rederivationFindings = () => [];",
    noticedBy: "verify/attacks.test.js",
    test: "verdict that the logs",
  },
  {
    module: "verify/artifacts.js",
    source: `
      import { finding } from "../finding.js";
      export const artifactFindings = () => [];
      export const missing = (file) => finding("FILE_MISSING", file, null, "");
      export const extra = (folder, name) => finding("FILE_EXTRA", folder, name, "");`,
    noticedBy: "verify/attacks.test.js",
    test: "artifacts that are changed",
  },
  {
    module: "verify/journal.js",
    source: "export const checkJournal = () => ({ journal: null, findings: [] });",
    noticedBy: "verify/anchoring.test.js",
    test: "hiding an earlier FAIL",
  },
  {
    module: "verdict/channels.js",
    source:
      "export class ChannelLedger { static types = []; observe() {} findings() { return []; } }",
    noticedBy: "verify/attacks.test.js",
    test: "byte counts that differ",
  },
  {
    module: "gates/match.js",
    source: 'export const matchRecord = () => "yes";',
    noticedBy: "gates/gates.test.js",
    test: "another role, class or mechanism",
  },
];

const fileOf = ({ noticedBy }: Guard): URL => new URL(`../${noticedBy}`, import.meta.url);

for (const guard of GUARDS) {
  test(`removing ${guard.module} is noticed`, () => {
    const { module, source } = guard;
    assertNoticed(
      fileOf(guard),
      [{ module: `packages/evidence/dist/${module}`, source }],
      guard.test,
    );
  });
}

test("the control: with nothing removed, each of these tests runs and passes", () => {
  const distinct = new Map(GUARDS.map((guard) => [guard.noticedBy + guard.test, guard]));
  for (const guard of distinct.values()) {
    const result = runTestFileWithSwaps(fileOf(guard), [], guard.test);
    assert(!result.failed, result.output.slice(-2000));
    assert.match(result.output, /^# pass [1-9]/m, guard.test);
  }
});
