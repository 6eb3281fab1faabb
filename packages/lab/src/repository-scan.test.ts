import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const MAX_LISTING_BYTES = 4 * 1024 * 1024;

/** How credentials look where they are written down by mistake, each with one of the form. */
const FORMS: readonly (readonly [what: string, form: RegExp, sample: string])[] = [
  [
    "a private key",
    /-----BEGIN [A-Z ]*PRIVATE KEY-----(?:\\n|\s)+[A-Za-z0-9+/]{16}/g,
    `-----BEGIN ${"PRIVATE"} KEY-----\nMC4CAQAwBQYDK2VwBCIEIA==`,
  ],
  ["an access key of AWS", /\bAKIA[0-9A-Z]{16}\b/g, `AKIA${"A".repeat(16)}`],
  ["a token of GitHub", /\bgh[pousr]_[A-Za-z0-9]{36}\b/g, `ghp_${"a".repeat(36)}`],
  ["a token of Slack", /\bxox[abprs]-[0-9A-Za-z-]{10,}/g, `xoxb-${"1".repeat(12)}`],
  ["a key of Google", /\bAIza[0-9A-Za-z_-]{35}\b/g, `AIza${"a".repeat(35)}`],
  [
    "a JSON Web Token",
    /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/g,
    `eyJ${"a".repeat(10)}.eyJ${"b".repeat(10)}.${"c".repeat(10)}`,
  ],
  [
    "a key of an API",
    /\b[xX]-[aA][pP][iI]-[kK][eE][yY]["']?\s*[:=]\s*["']?[A-Za-z0-9]{24,}/g,
    `X-API-Key: ${"a".repeat(32)}`,
  ],
  [
    "a password in a URL",
    /\b[a-z]+:\/\/[^\s/:@"'`<>]+:[^\s/:@"'`$<>]+@(?![a-z0-9.-]*(?:example\b|example\.org|\.invalid))/gi,
    `https://somebody:${"word"}@appliance.test`,
  ],
];

/** Made up for tests of what watches for such: whole texts, so that nothing else hides behind one. */
const PLANTED: ReadonlySet<string> = new Set(["AKIAQYLPMN5HHHFPZAM2", "AKIAQYLPMN5HHHFPZAM3"]);

const credentialsIn = (text: string): readonly string[] =>
  FORMS.flatMap(([what, form]) =>
    [...text.matchAll(form)].filter(([found]) => !PLANTED.has(found)).map(() => what),
  );

test("each form of a credential is found, and what is planted isn't one", () => {
  for (const [what, , sample] of FORMS)
    assert.deepEqual(credentialsIn(`text ${sample} text`), [what]);
  for (const planted of PLANTED) assert.deepEqual(credentialsIn(planted), []);
});

test("no file of the repository holds a credential, whatever its place", () => {
  const listed = execFileSync("git", ["-C", ROOT, "ls-files", "-z"], {
    encoding: "utf8",
    maxBuffer: MAX_LISTING_BYTES,
  });
  const files = listed.split("\0").filter((file) => file !== "");
  assert.ok(
    files.some((file) => file.startsWith("packages/lab/src/scenario/")),
    "and the lab's",
  );
  const found = files.flatMap((file) =>
    credentialsIn(readFileSync(`${ROOT}${file}`, "latin1")).map((what) => `${file}: ${what}`),
  );
  assert.deepEqual(found, []);
});
