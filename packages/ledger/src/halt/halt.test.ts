import assert from "node:assert/strict";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { signIn, signingKeyFromSeed, verifyIn } from "@drydock/evidence";
import { profile, temporaryDirectory } from "@drydock/testkit";
import fc from "fast-check";
import { type HaltSignatureCheck, judgeHalt, recordName } from "./judge.js";
import { type HaltPlace, listHaltPlace } from "./place.js";
import { type HaltSignature, type HaltStatement, statementBytes } from "./record.js";
import { haltStatus } from "./status.js";
import { haltOff, haltOn, proposeHaltOff } from "./switch.js";

const AT = "2026-11-30T12:00:00.000Z";
const trusted = signingKeyFromSeed(new Uint8Array(32).fill(1));
const stranger = signingKeyFromSeed(new Uint8Array(32).fill(2));

const check: HaltSignatureCheck = (statement, signature) =>
  signature.keyId === trusted.public.keyId &&
  verifyIn("halt", statement, Buffer.from(signature.value, "base64"), trusted.public);

const sign = (statement: HaltStatement, key = trusted): HaltSignature => ({
  keyId: key.public.keyId,
  value: signIn("halt", statementBytes(statement), key).toString("base64"),
});

const placeIn = (directory: string, scope: HaltPlace["scope"] = "home"): HaltPlace => ({
  path: join(directory, scope),
  scope,
});

const lift = (place: HaltPlace): void => {
  const statement = proposeHaltOff(place, "checked", AT, check);
  haltOff(place, statement, sign(statement), check);
};

const kind = (place: HaltPlace): string => judgeHalt(listHaltPlace(place), check).kind;

test("a halt is on until a trusted key lifts it, and the generation only grows", (t) => {
  const place = placeIn(temporaryDirectory(t));
  assert.deepEqual(haltStatus([place], check).generation, 0);
  assert.equal(kind(place), "clear");
  assert.equal(haltOn(place, "smoke", AT).generation, 1);
  assert.equal(kind(place), "halted");
  assert.equal(haltOn(place, "more smoke", AT).generation, 2);
  lift(place);
  assert.deepEqual(
    [haltStatus([place], check).halted, haltStatus([place], check).generation],
    [false, 3],
  );
  assert.deepEqual(readdirSync(place.path).sort(), [1, 2, 3].map(recordName));
});

test("halt off by a stranger, for another halt, or repeated, changes nothing", (t) => {
  const place = placeIn(temporaryDirectory(t));
  haltOn(place, "one", AT);
  const statement = proposeHaltOff(place, "checked", AT, check);
  const code = (expected: string) => (error: { code: string }) => error.code === expected;
  const off = (signature: HaltSignature) => () => haltOff(place, statement, signature, check);

  assert.throws(off(sign(statement, stranger)), code("HALT_SIGNATURE"));
  assert.throws(off(sign({ ...statement, reason: "x" })), code("HALT_SIGNATURE"));
  assert.throws(
    off({ ...sign(statement, stranger), keyId: trusted.public.keyId }),
    code("HALT_SIGNATURE"),
  );
  haltOn(place, "two", AT);
  assert.throws(off(sign(statement)), code("HALT_MOVED"));
  assert.equal(kind(place), "halted");

  const current = proposeHaltOff(place, "checked", AT, check);
  haltOff(place, current, sign(current), check);
  assert.equal(kind(place), "clear");
  assert.throws(() => haltOff(place, current, sign(current), check), code("HALT_MOVED"));
  assert.throws(() => proposeHaltOff(place, "again", AT, check), code("HALT_NOT_ON"));
});

test("a signature of another namespace doesn't lift a halt", (t) => {
  const place = placeIn(temporaryDirectory(t));
  haltOn(place, "one", AT);
  const statement = proposeHaltOff(place, "checked", AT, check);
  const value = signIn("policy", statementBytes(statement), trusted).toString("base64");
  assert.throws(() => haltOff(place, statement, { keyId: trusted.public.keyId, value }, check));
  assert.equal(kind(place), "halted");
});

test("a halt at either place is a halt", (t) => {
  const directory = temporaryDirectory(t);
  const [home, machine] = [placeIn(directory), placeIn(directory, "machine")];
  const halted = (): boolean => haltStatus([home, machine], check).halted;
  assert.equal(halted(), false);
  haltOn(machine, "maintenance", AT);
  assert.equal(halted(), true);
  assert.equal(statSync(join(machine.path, recordName(1))).mode & 0o777, 0o644);
  lift(machine);
  assert.equal(halted(), false);
  haltOn(home, "mine", AT);
  assert.equal(halted(), true);
});

const damage: Readonly<Record<string, (place: HaltPlace) => void>> = {
  "an empty file where the directory should be": ({ path }) => {
    rmSync(path, { recursive: true });
    writeFileSync(path, "");
  },
  "an emptied record": ({ path }) => writeFileSync(join(path, recordName(2)), ""),
  "a record that isn't canonical": ({ path }) => {
    const file = join(path, recordName(2));
    writeFileSync(file, `${readFileSync(file, "utf8")}\n`);
  },
  "a record with an unknown key": ({ path }) => {
    const file = join(path, recordName(2));
    writeFileSync(file, readFileSync(file, "utf8").replace('{"at"', '{"aa":1,"at"'));
  },
  "an off without a signature": ({ path }) => {
    const file = join(path, recordName(2));
    const text = readFileSync(file, "utf8").replace(/"signature":\{[^}]*\}/, '"signature":null');
    writeFileSync(file, text);
  },
  "an off signed for another reason": ({ path }) => {
    const file = join(path, recordName(2));
    writeFileSync(file, readFileSync(file, "utf8").replace("checked", "changed"));
  },
  "a record under a higher number": ({ path }) =>
    renameSync(join(path, recordName(2)), join(path, recordName(3))),
  "the halting record deleted": ({ path }) => rmSync(join(path, recordName(1))),
  "a file that is no record": ({ path }) => writeFileSync(join(path, "note.txt"), "hello"),
  "a record of enormous length": ({ path }) =>
    writeFileSync(join(path, recordName(3)), " ".repeat(1 << 20)),
};

for (const [what, harm] of Object.entries(damage)) {
  test(`${what} counts as halted`, (t) => {
    const place = placeIn(temporaryDirectory(t));
    haltOn(place, "one", AT);
    lift(place);
    assert.equal(kind(place), "clear"); // The control: undamaged.
    harm(place);
    assert.equal(kind(place), "malformed");
    assert.equal(haltStatus([place], check).halted, true);
  });
}

test("a draft that a killed writer left behind doesn't count", (t) => {
  const place = placeIn(temporaryDirectory(t));
  haltOn(place, "one", AT);
  lift(place);
  writeFileSync(join(place.path, ".0123456789abcdef"), "half a rec");
  assert.equal(kind(place), "clear");
  assert.equal(haltOn(place, "two", AT).generation, 3);
});

test("no bytes but a trusted off read as clear", (t) => {
  const place = placeIn(temporaryDirectory(t));
  haltOn(place, "one", AT);
  lift(place);
  const good = readFileSync(join(place.path, recordName(2)));
  const names = [1, 2].map(recordName);
  fc.assert(
    fc.property(fc.nat(good.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
      const newest = Buffer.from(good);
      newest[at] = (newest[at] ?? 0) ^ flip;
      return judgeHalt({ kind: "records", names, newest }, check).kind !== "clear";
    }),
    { numRuns: profile.fuzz, seed: profile.seed },
  );
  assert.equal(judgeHalt({ kind: "records", names, newest: good }, check).kind, "clear");
});

test("a reason that is no line for a person is refused, and nothing is written", (t) => {
  const place = placeIn(temporaryDirectory(t));
  assert.throws(() => haltOn(place, "", AT));
  assert.throws(() => haltOn(place, "x".repeat(501), AT));
  assert.equal(kind(place), "clear");
});

test("who may not read a place is told to be somebody else, not to move records away", (t) => {
  const place = placeIn(temporaryDirectory(t));
  mkdirSync(place.path);
  const user = process.geteuid?.() === 0 ? 65534 : null;
  const attempt = (): void => {
    if (user !== null) process.seteuid?.(user);
    try {
      haltOn(place, "smoke", AT);
    } finally {
      if (user !== null) process.seteuid?.(0);
    }
  };
  chmodSync(place.path, 0);
  assert.throws(attempt, { code: "HALT_UNWRITABLE", fix: /as the user whom .* belongs to/ });
  assert.equal(kind(place), user === null ? "malformed" : "clear");
  // The control: what is there and is no record is still to be looked at.
  chmodSync(place.path, 0o700);
  writeFileSync(join(place.path, "00000001.json"), "?");
  assert.throws(() => haltOn(place, "smoke", AT), { code: "HALT_MALFORMED" });
});
