import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { inspect } from "node:util";
import { temporaryDirectory } from "@drydock/testkit";
import { readCredential } from "./credential.js";
import { LAB_VARIABLES, labEnvironment, loadLabConfig } from "./lab-config.js";
import { readOwnerOnly } from "./owner-only.js";

const GOOD = {
  PFSENSE_LAB_API_URL: "https://candidate.lab.invalid",
  PFSENSE_LAB_IDENTITY: "lab-adr026",
  PFSENSE_LAB_API_KEY_FILE: "/outside/lab-api-key",
  PFSENSE_LAB_CANDIDATE: "LAB_ADR026_ALIAS",
  PFSENSE_LAB_ATTESTATION_FILE: "/outside/lab-attestation.json",
};

describe("a lab's inputs", () => {
  test("are five variables", () => {
    assert.deepEqual(loadLabConfig(GOOD), {
      target: { host: "candidate.lab.invalid", port: 443 },
      identity: "lab-adr026",
      keyFile: "/outside/lab-api-key",
      candidate: "LAB_ADR026_ALIAS",
      attestationFile: "/outside/lab-attestation.json",
    });
  });

  for (const name of Object.values(LAB_VARIABLES))
    test(`are none without ${name}, or with it empty`, () => {
      const { [name]: _, ...rest } = GOOD;
      for (const environment of [rest, { ...rest, [name]: "" }])
        assert.throws(() => loadLabConfig(environment), {
          code: "LAB_INPUT_MISSING",
          message: new RegExp(name),
        });
    });

  test("are never a production appliance's", () => {
    const production = Object.fromEntries(
      Object.entries(GOOD).map(([name, value]) => [name.replace("_LAB", ""), value]),
    );
    assert.throws(() => loadLabConfig(production), {
      code: "LAB_INPUT_MISSING",
      message: `not set: ${Object.values(LAB_VARIABLES).join(", ")}`,
    });
  });

  const edges: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    [
      "PFSENSE_LAB_IDENTITY",
      ["a", "A.b_c-9", "x".repeat(64)],
      ["x".repeat(65), "a b", "a/b", "ä", "a\n"],
    ],
    [
      "PFSENSE_LAB_CANDIDATE",
      ["LAB_A", "TEST_9", `LAB_${"A".repeat(27)}`, "LAB__a"],
      [
        "LAB_",
        "TEST_",
        "LAB",
        "lab_A",
        "Test_A",
        "XLAB_A",
        `LAB_${"A".repeat(28)}`,
        "LAB_A-B",
        "LAB_A B",
        "LAB_Ä",
        "LAB_A\u0308",
        "LAB_A\n",
      ],
    ],
    ["PFSENSE_LAB_API_KEY_FILE", ["/a"], ["a", "./a", "/a\nb", "/", `/${"a".repeat(4096)}`]],
    ["PFSENSE_LAB_ATTESTATION_FILE", ["/a"], ["a", "/a\u0000"]],
  ];
  for (const [name, good, bad] of edges)
    test(`have ${name} on the right side of its edges`, () => {
      for (const value of good) loadLabConfig({ ...GOOD, [name]: value });
      for (const value of bad)
        assert.throws(
          () => loadLabConfig({ ...GOOD, [name]: value }),
          { code: "LAB_INPUT_INVALID", message: new RegExp(`^${name} is not `) },
          JSON.stringify(value),
        );
    });

  test("are told of by booleans alone", () => {
    const told = labEnvironment({
      ...GOOD,
      PFSENSE_LAB_CANDIDATE: "OPERATIONAL",
      PFSENSE_LAB_IDENTITY: undefined,
      PFSENSE_LAB_API_URL: "https://firewall.example.com",
    });
    assert.deepEqual(told, {
      PFSENSE_LAB_API_URL: { set: true, valid: false },
      PFSENSE_LAB_IDENTITY: { set: false, valid: false },
      PFSENSE_LAB_API_KEY_FILE: { set: true, valid: true },
      PFSENSE_LAB_CANDIDATE: { set: true, valid: false },
      PFSENSE_LAB_ATTESTATION_FILE: { set: true, valid: true },
    });
  });
});

describe("an owner-only file", () => {
  const file = (t: TestContext, contents = "key\n", mode = 0o600): string => {
    const path = join(temporaryDirectory(t), "file");
    writeFileSync(path, contents);
    chmodSync(path, mode);
    return path;
  };
  const refused = (path: string, why: RegExp): void =>
    assert.throws(() => readOwnerOnly(path, "API key"), {
      code: "LAB_FILE",
      message: why,
      fix: /./,
    });

  test("is read, up to 16 KiB", (t) => {
    for (const mode of [0o600, 0o400, 0o700])
      assert.equal(readOwnerOnly(file(t, "key\n", mode), "API key").toString(), "key\n");
    assert.equal(readOwnerOnly(file(t, "x".repeat(16_384)), "API key").length, 16_384);
    refused(file(t, "x".repeat(16_385)), /longer than 16384 bytes/);
  });

  for (const mode of [0o640, 0o604, 0o610, 0o601, 0o620, 0o602, 0o666])
    test(`with mode ${mode.toString(8)} is refused`, (t) =>
      refused(file(t, "key\n", mode), /others may use it/));

  test("is no link, no second name, no directory, no pipe, no device, and exists", (t) => {
    const path = file(t);
    const beside = (name: string): string => join(path, "..", name);
    symlinkSync(path, beside("link"));
    refused(beside("link"), /symbolic link/);
    refused(beside("none"), /can't be opened/);
    mkdirSync(beside("folder"), { mode: 0o700 });
    refused(beside("folder"), /no regular file/);
    execFileSync("mkfifo", ["-m", "600", beside("pipe")]);
    refused(beside("pipe"), /no regular file/);
    refused("/dev/null", /no regular file/);
    refused("file", /not absolute/);
    assert.equal(readOwnerOnly(path, "API key").toString(), "key\n");
    linkSync(path, beside("second"));
    refused(path, /second name/);
  });

  test("is nobody else's", (t) => {
    assert.equal(process.geteuid?.(), 0, "run as root, as the machine's tests are");
    const path = file(t);
    chownSync(path, 65_534, 65_534);
    refused(path, /another user's/);
  });

  test("lies in no work tree, also reached through a link", (t) => {
    const tree = temporaryDirectory(t);
    mkdirSync(join(tree, "a/b"), { recursive: true });
    const path = join(tree, "a/b/key");
    writeFileSync(path, "key\n", { mode: 0o600 });
    readOwnerOnly(path, "API key");
    writeFileSync(join(tree, ".git"), "gitdir: elsewhere\n");
    refused(path, /Git work tree/);
    const outside = temporaryDirectory(t);
    symlinkSync(join(tree, "a"), join(outside, "in"));
    refused(join(outside, "in/b/key"), /Git work tree/);
  });

  test("holds a key in its first line, which nothing prints", (t) => {
    for (const contents of ["s3cret-key", "s3cret-key\n", "s3cret-key\r\nmore\n"]) {
      const credential = readCredential(file(t, contents));
      assert.equal(credential.reveal(), "s3cret-key");
      for (const shown of [`${credential}`, JSON.stringify({ credential }), inspect(credential)])
        assert.doesNotMatch(shown, /s3cret/);
    }
    assert.equal(readCredential(file(t, "k".repeat(4096))).reveal().length, 4096);
    for (const contents of ["", "\nkey", "a b", "k\u0007", "k\u0000", "ké", "k".repeat(4097)])
      assert.throws(
        () => readCredential(file(t, contents)),
        ({ code, message }: { code: string; message: string }) =>
          code === "LAB_CREDENTIAL" && !message.includes("ké"),
      );
  });
});
