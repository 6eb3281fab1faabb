import assert from "node:assert/strict";
import { test } from "node:test";
import { profile } from "@drydock/testkit";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { formatDuration, parseDuration } from "./duration.js";
import { runSpecSchema } from "./run-spec.js";
import { runSpecJsonSchema } from "./schema.js";
import { formatSize, parseSize } from "./size.js";

const MIB = 1024 ** 2;

test("an empty spec has the documented defaults", () => {
  assert.deepEqual(runSpecSchema.parse({}), {
    schema: "drydock.run/v1",
    command: null,
    env: {},
    cwd: null,
    user: { uid: 1_000, gid: 1_000 },
    source: null,
    image: "base",
    limits: {
      cpus: 1,
      memoryBytes: 1024 * MIB,
      diskBytes: 8 * 1024 * MIB,
      wallMs: 600_000,
      idleMs: null,
      consoleBytes: 8 * MIB,
      outputBytes: 64 * MIB,
      artifactCount: 256,
      artifactBytes: 64 * MIB,
      artifactDepth: 32,
      networkChannels: 0,
      guestPids: 128,
      guestFds: 512,
    },
    artifacts: [],
    canaries: [],
    snapshot: true,
    exit: "command",
  });
});

test("units are read, and idle is off, on or a duration", () => {
  const limits = (given: object) => runSpecSchema.parse({ limits: given }).limits;
  assert.equal(limits({ memory: "512MiB" }).memoryBytes, 512 * MIB);
  assert.equal(limits({ wall: "90s" }).wallMs, 90_000);
  assert.equal(limits({ idle: "on" }).idleMs, 60_000);
  assert.equal(limits({ idle: "off" }).idleMs, null);
  assert.equal(limits({ idle: "5s" }).idleMs, 5_000);
});

test("a user is a uid, a pair, or root", () => {
  const user = (text: string) => runSpecSchema.parse({ user: text }).user;
  assert.deepEqual(user("root"), { uid: 0, gid: 0 });
  assert.deepEqual(user("7"), { uid: 7, gid: 7 });
  assert.deepEqual(user("7:8"), { uid: 7, gid: 8 });
});

const REFUSED: Readonly<Record<string, object>> = {
  "an unknown key": { comand: ["true"] },
  "an unknown limit": { limits: { memroy: "1GiB" } },
  "a command line in one string": { command: "npm test" },
  "an empty command": { command: [] },
  "an empty program": { command: [""] },
  "NUL in an argument": { command: ["a\0b"] },
  "an argument over 128 KiB": { command: ["x".repeat(128 * 1024)] },
  "arguments over 2 MiB together": { command: Array(20).fill("x".repeat(127 * 1024)) },
  "a number as a variable": { env: { CI: 1 } },
  "a variable name with =": { env: { "A=B": "1" } },
  "a relative working directory": { cwd: "work" },
  "a working directory with ..": { cwd: "/work/../etc" },
  "a user by name": { user: "alice" },
  "the uid that means unchanged": { user: "4294967295" },
  "a decimal size": { limits: { memory: "1GB" } },
  "a bare number": { limits: { memory: 1_073_741_824 } },
  "a fraction": { limits: { memory: "1.5GiB" } },
  "too little memory": { limits: { memory: "1MiB" } },
  "a fraction of a processor": { limits: { cpus: 1.5 } },
  "no processor": { limits: { cpus: 0 } },
  "two network channels": { limits: { networkChannels: 2 } },
  "no time": { limits: { wall: "0s" } },
  "two days": { limits: { wall: "48h" } },
  "an image path": { image: "../x" },
  "an artifact outside": { artifacts: ["../*"] },
  "both a ref and the working tree": { source: { from: ".", ref: "main", workingTree: true } },
  "another exit mode": { exit: "always" },
};

for (const [what, spec] of Object.entries(REFUSED)) {
  test(`${what} is refused`, () => {
    assert.equal(runSpecSchema.safeParse(spec).success, false);
  });
}

test("the closest accepted relatives of what is refused", () => {
  for (const spec of [
    { command: ["npm", "test"] },
    { command: ["x".repeat(128 * 1024 - 1)] },
    { env: { CI: "1" } },
    { cwd: "/work" },
    { user: "4294967294" },
    { limits: { memory: "128MiB", wall: "24h", cpus: 2 } },
    { artifacts: ["dist/**", "..foo"] },
    { source: { from: ".", workingTree: true } },
  ]) {
    const result = runSpecSchema.safeParse(spec);
    assert.equal(result.success, true, JSON.stringify(spec));
  }
});

test("a wrong size is told in the user's unit, with the range", () => {
  const result = runSpecSchema.safeParse({ limits: { memory: "1MiB" } });
  assert.equal(result.error?.issues[0]?.message, "1MiB is outside 128MiB to 256GiB");
  const wrong = runSpecSchema.safeParse({ limits: { memory: "1GB" } });
  assert.match(wrong.error?.issues[0]?.message ?? "", /not a size.*512MiB/);
});

test("the exported JSON Schema accepts and refuses with the parser, as far as it can say it", () => {
  const validate = new Ajv2020({ strict: true }).compile(runSpecJsonSchema());
  for (const spec of [{}, { command: ["npm", "test"], limits: { memory: "1GiB", idle: "off" } }]) {
    assert.equal(validate(spec), true, JSON.stringify(validate.errors));
  }
  for (const what of [
    "an unknown key",
    "an unknown limit",
    "a command line in one string",
    "an empty command",
    "a number as a variable",
    "a decimal size",
    "no processor",
    "two network channels",
    "an image path",
    "another exit mode",
  ]) {
    assert.equal(validate(REFUSED[what]), false, what);
  }
});

test("sizes and durations survive writing and reading", () => {
  fc.assert(
    fc.property(fc.nat(Number.MAX_SAFE_INTEGER), (value) => {
      if (value < 1e12) assert.equal(parseDuration(formatDuration(value)), value);
      if (value < 1e16) assert.equal(parseSize(formatSize(value)), value);
    }),
    { numRuns: profile.fuzz, seed: profile.seed },
  );
  for (const text of ["", "1", "-1s", "1 s", "1S", "01s", "1e3s", "9999999999999999TiB"]) {
    assert.throws(() => parseSize(text));
    assert.throws(() => parseDuration(text));
  }
});
