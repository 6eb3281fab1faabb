import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertNoticed, runTestFileWithSwaps } from "@drydock/testkit";

const MODULE = "packages/boundary/dist/release/verify-signature.js";
const EVIDENCE = JSON.stringify(import.meta.resolve("@drydock/evidence"));
const CODES = JSON.stringify(new URL("../codes.js", import.meta.url).href);

const without = (...missing: readonly string[]): string =>
  `import { digestOf, isSignatureValid } from ${EVIDENCE};
   import { refuse } from ${CODES};
   const fix = { fix: "" };
   export const verifyReleaseSignature = (manifest, { keyId, manifestDigest, value }, key) => {
     ${[
       `if (keyId !== key.keyId) refuse("RELEASE_KEY_UNTRUSTED", "", fix);`,
       `if (manifestDigest !== digestOf(manifest)) refuse("RELEASE_DIGEST_DIFFERENT", "", fix);`,
       `if (!isSignatureValid(manifest, value, key)) refuse("RELEASE_SIGNATURE_INVALID", "", fix);`,
     ]
       .filter((line) => !missing.some((code) => line.includes(code)))
       .join("\n     ")}
   };`;

describe("without a part of its guard a test fails", () => {
  const file = new URL("./release.test.js", import.meta.url);

  it("and with all of them none does", () => {
    const swapped = runTestFileWithSwaps(file, [{ module: MODULE, source: without() }]);
    assert.equal(swapped.failed, false, swapped.output);
  });

  for (const code of [
    "RELEASE_KEY_UNTRUSTED",
    "RELEASE_DIGEST_DIFFERENT",
    "RELEASE_SIGNATURE_INVALID",
  ]) {
    it(code, () => {
      assertNoticed(file, [{ module: MODULE, source: without(code) }]);
    });
  }
});
