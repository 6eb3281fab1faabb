import assert from "node:assert/strict";
import { test } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import type { AdapterErrorCode } from "../../adapter/index.js";
import type { ReadAnswer, ReadClient } from "../../client/index.js";
import { pfsenseAliasDescription as adapter } from "./adapter.js";

const intent = (new_description: unknown = "after", alias_name: unknown = "LAB_ALIAS") => ({
  operation: "set_firewall_alias_description_v1",
  raw_target_hint: { alias_name },
  new_description,
});

const target = {
  id: 1,
  name: "LAB_ALIAS",
  type: "host",
  descr: "before",
  address: ["192.0.2.1", "192.0.2.2"],
  detail: ["first", "second"],
};

const other = (id: number, name = `other_${id}`) => ({ ...target, id, name });

const success = (data: unknown): ReadAnswer => ({
  status: 200,
  body: { code: 200, status: "ok", response_id: "SUCCESS", message: "", data },
});

const clientOf = (answer: ReadAnswer): ReadClient => ({ get: async () => answer });

const identity = { alias_name: "LAB_ALIAS" };

const read = (answer: ReadAnswer, of: { alias_name: string } = identity) =>
  adapter.readTarget(clientOf(answer), of);

const readRows = (...rows: unknown[]) => read(success(rows));

const refusedIntent = (value: unknown, code: AdapterErrorCode = "INTENT_INVALID"): void => {
  assert.throws(() => adapter.parseIntent(value), { name: "DrydockError", code });
};

const description = (text: unknown): string => adapter.parseIntent(intent(text)).new_description;

test("an intent is exactly an operation, a name and a description", () => {
  assert.deepEqual(adapter.parseIntent(intent()), intent());
  assert.deepEqual(adapter.naturalIdentity(adapter.parseIntent(intent())), identity);
  refusedIntent({ ...intent(), id: 1 });
  refusedIntent({ ...intent(), raw_target_hint: { alias_name: "LAB_ALIAS", id: 1 } });
  refusedIntent({ ...intent(), operation: "set_firewall_alias_description_v2" });
  refusedIntent({ ...intent(), new_description: undefined });
  refusedIntent({ ...intent(), new_description: null });
});

test("an alias name is 1 to 31 letters, digits and underscores", () => {
  for (const name of ["A", "a".repeat(31), "LAB_1", "7up"]) {
    assert.equal(adapter.parseIntent(intent("x", name)).raw_target_hint.alias_name, name);
  }
  for (const name of [
    "",
    "a".repeat(32),
    "_LAB",
    "LAB ALIAS",
    "LAB-ALIAS",
    "LAB_\u00c9",
    "LAB\n",
  ]) {
    refusedIntent(intent("x", name));
  }
});

test("a description is at most 1,024 code points, after NFC", () => {
  assert.equal(description("d".repeat(1_024)).length, 1_024);
  refusedIntent(intent("d".repeat(1_025)));
  assert.equal([...description("\u{1f600}".repeat(1_024))].length, 1_024);
  refusedIntent(intent("\u{1f600}".repeat(1_025)));
  // Two code points each as they are given, one each as they are kept.
  assert.equal(description("e\u0301".repeat(1_024)), "\u00e9".repeat(1_024));
  refusedIntent(intent("e\u0301".repeat(1_025)));
});

test("an empty description is one; blanks, tabs and line feeds stay as they are", () => {
  for (const text of ["", " ", "\t", "a\nb", "  a  "]) assert.equal(description(text), text);
});

test("NUL, U+0001 and whatever else XML can't hold is refused", () => {
  for (const character of [
    "\0",
    "\u0001",
    "\b",
    "\u000b",
    "\f",
    "\r",
    "\u001f",
    "\ufffe",
    "\uffff",
  ]) {
    refusedIntent(intent(`a${character}b`));
  }
  for (const character of ["\t", "\n", " ", "\u007f", "\ufffd"]) {
    assert.equal(description(`a${character}b`), `a${character}b`);
  }
});

test("half a character is refused", () => {
  refusedIntent(intent("\ud83d"));
  refusedIntent(intent("\ude00"));
});

test("whatever description is taken is in NFC, within its bound, and parsed again the same", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 1_100 }), (text) => {
      let taken: string;
      try {
        taken = description(text);
      } catch {
        // Refused: nothing to hold of it.
        return;
      }
      assert.equal(taken, text.normalize("NFC"));
      assert.ok([...taken].length <= 1_024);
      assert.equal(description(taken), taken);
    }),
    { numRuns: profile.fuzz, seed: profile.seed },
  );
});

test("an alias is read whole, with the number it has today", async () => {
  assert.deepEqual(await readRows(other(0), target, other(2)), target);
  assert.deepEqual(await readRows({ ...target, id: 0 }), { ...target, id: 0 });
});

test("all aliases are asked for once, up to the limit", async () => {
  const asked: unknown[] = [];
  await adapter.readTarget(
    {
      get: async (...request) => {
        asked.push(request);
        return success([target]);
      },
    },
    identity,
  );
  assert.deepEqual(asked, [["/api/v2/firewall/aliases", { limit: 500 }]]);
});

test("499 aliases are a list, and 500 may be the beginning of one", async () => {
  const rows = (count: number) =>
    Array.from({ length: count }, (_, id) => (id === 1 ? target : other(id)));
  assert.deepEqual(await readRows(...rows(499)), target);
  await assert.rejects(readRows(...rows(500)), { code: "ANSWER_INCOMPLETE" });
  await assert.rejects(readRows(...rows(501)), { code: "ANSWER_INVALID" });
});

test("none and two of a name are refused, also when the two differ", async () => {
  await assert.rejects(readRows(), { code: "TARGET_ABSENT" });
  await assert.rejects(readRows(other(0)), { code: "TARGET_ABSENT" });
  await assert.rejects(readRows(target, { ...target, id: 2 }), { code: "TARGET_AMBIGUOUS" });
  await assert.rejects(readRows({ ...target, id: 0, type: "port" }, target), {
    code: "TARGET_AMBIGUOUS",
  });
});

test("names are told apart by case, and one that only NFC makes the same is one too many", async () => {
  assert.deepEqual(await readRows(other(0, "lab_alias"), target), target);
  await assert.rejects(readRows(other(0, "lab_alias")), { code: "TARGET_ABSENT" });
  // U+212A KELVIN SIGN is K in NFC.
  const kelvin = { ...target, name: "LAB_\u212a" };
  await assert.rejects(read(success([kelvin]), { alias_name: "LAB_K" }), {
    code: "TARGET_AMBIGUOUS",
  });
  await assert.rejects(
    read(success([kelvin, { ...target, name: "LAB_K" }]), { alias_name: "LAB_K" }),
    {
      code: "TARGET_AMBIGUOUS",
    },
  );
});

test("what other aliases are like doesn't matter", async () => {
  const strange = { name: "urls", type: "urltable", anything: [{}] };
  assert.deepEqual(await readRows(strange, target), target);
  await assert.rejects(readRows({ type: "host" }, target), { code: "ANSWER_INVALID" });
});

for (const [what, change] of [
  ["another type", { type: "urltable" }],
  ["more members than details", { detail: ["first"] }],
  ["more details than members", { address: ["192.0.2.1"] }],
  ["no details", { detail: undefined }],
  ["an unknown key", { comment: "" }],
  ["a description that is null", { descr: null }],
  ["a description that isn't in NFC", { descr: "e\u0301" }],
  ["a member that isn't in NFC", { address: ["e\u0301", "192.0.2.2"] }],
  ["a member that is a number", { address: [1, "192.0.2.2"] }],
  ["half a character", { descr: "\ud83d" }],
  ["a number below 0", { id: -1 }],
  ["a number beyond 2^31 - 1", { id: 2 ** 31 }],
  ["a number with a fraction", { id: 1.5 }],
  ["a number that is text", { id: "1" }],
] as const) {
  test(`a target with ${what} isn't changed`, async () => {
    assert.deepEqual(await readRows(target), target);
    await assert.rejects(readRows({ ...target, ...change }), { code: "TARGET_UNSUPPORTED" });
  });
}

test("edges of what a target may be", async () => {
  const full = Array.from({ length: 4_096 }, (_, at) => `m${at}`);
  for (const change of [
    { id: 2 ** 31 - 1 },
    { address: [], detail: [] },
    { address: full, detail: full },
    { type: "network" },
    { type: "port" },
    { descr: "d".repeat(5_000) },
  ]) {
    assert.deepEqual(await readRows({ ...target, ...change }), { ...target, ...change });
  }
  const more = [...full, "one more"];
  await assert.rejects(readRows({ ...target, address: more, detail: more }), {
    code: "TARGET_UNSUPPORTED",
  });
});

test("an answer has to be the documented envelope of status 200", async () => {
  const { status, body } = success([target]);
  const envelope = body as Record<string, unknown>;
  assert.deepEqual(await read({ status, body: { ...envelope, _links: {} } }), target);
  for (const [change, code] of [
    [{ status: 401 }, "READ_REFUSED"],
    [{ status: 503 }, "READ_REFUSED"],
    [{ status: 301 }, "READ_REFUSED"],
    [{ body: { ...envelope, code: 201 } }, "ANSWER_INVALID"],
    [{ body: { ...envelope, response_id: "OTHER" } }, "ANSWER_INVALID"],
    [{ body: { ...envelope, extra: 1 } }, "ANSWER_INVALID"],
    [{ body: { ...envelope, data: target } }, "ANSWER_INVALID"],
    [{ body: [target] }, "ANSWER_INVALID"],
    [{ body: null }, "ANSWER_INVALID"],
  ] as const) {
    await assert.rejects(read({ status, body, ...change }), { code });
  }
});

test("an identity is a name and nothing else", async () => {
  for (const wrong of [{}, { id: 1 }, { ...identity, id: 1 }, { alias_name: 1 }]) {
    await assert.rejects(adapter.readTarget(clientOf(success([target])), wrong as never), {
      code: "IDENTITY_INVALID",
    });
  }
});

test("the fingerprint is everything but the number, in order", () => {
  const alias = adapter.parseTarget(target);
  const { id: _, ...rest } = target;
  assert.deepEqual(adapter.fingerprint(alias), rest);
  assert.equal(adapter.transportLocator(alias), 1);
  assert.deepEqual(adapter.identityOf(alias), identity);
});

test("the request is the number, the description, and no reload", () => {
  const alias = adapter.parseTarget(target);
  const { descr: _, ...rest } = alias;
  const request = { method: "PATCH", endpoint: "FIREWALL_ALIAS" };
  assert.deepEqual(adapter.buildRequest(adapter.parseIntent(intent()), alias), {
    ...request,
    body: { id: 1, descr: "after", apply: false },
  });
  assert.deepEqual(adapter.buildRollbackRequest(alias, { ...rest, id: 7, descr: "after" }), {
    ...request,
    body: { id: 7, descr: "before", apply: false },
  });
});

test("what is asked for is there already: nothing to send, whatever its spelling", () => {
  const alias = adapter.parseTarget({ ...target, descr: "caf\u00e9" });
  for (const text of ["caf\u00e9", "cafe\u0301"]) {
    assert.throws(() => adapter.buildRequest(adapter.parseIntent(intent(text)), alias), {
      code: "INTENT_CHANGES_NOTHING",
    });
  }
  assert.ok(adapter.buildRequest(adapter.parseIntent(intent("Caf\u00e9")), alias));
});

test("a snapshot comes back whole or not at all", () => {
  assert.deepEqual(adapter.parseTarget(target), target);
  for (const wrong of [null, [], { ...target, extra: 1 }, { ...target, descr: "e\u0301" }]) {
    assert.throws(() => adapter.parseTarget(wrong), { code: "SNAPSHOT_INVALID" });
  }
});

test("a response is the alias as it is now", () => {
  assert.deepEqual(adapter.parseResponse(success(target).body), target);
  for (const wrong of [null, target, success([target]).body, success(null).body]) {
    assert.throws(() => adapter.parseResponse(wrong), { code: "ANSWER_INVALID" });
  }
});
