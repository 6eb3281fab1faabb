import assert from "node:assert/strict";
import { test } from "node:test";
import { isToldJson, parseToldRules } from "./parse-told.js";

const OURS = "drydock_0123456789ab";
const place = { family: "bridge", table: OURS };
const JSON_LINE = JSON.stringify({
  nftables: [
    { table: { family: "bridge", name: OURS, handle: 1 } },
    // What makes it ours.
    { chain: { ...place, name: "about", handle: 3 } },
    { rule: { ...place, chain: "about", handle: 4, comment: "x", expr: [{ return: null }] } },
    { chain: { ...place, name: "walls", handle: 1 } },
    { rule: { ...place, chain: "walls", handle: 2, expr: [{ accept: null }] } },
  ],
});
const OUTER = `bridge ${OURS} walls 2\n  [ payload load 2b @ link header + 12 => reg 1 ]\n  [ immediate reg 0 accept ]\n\n`;
const INNER = OUTER.replace("payload load 2b @ link header + 12", "meta load protocol");

const extras = (told: string): readonly string[] =>
  parseToldRules(Buffer.from(told)).tables.flatMap(({ chains }) =>
    chains.flatMap((chain) => chain.extras),
  );

test("expressions come before one line of JSON, and say what it leaves out", () => {
  assert.deepEqual(extras(`${OUTER}${JSON_LINE}\n`), []);
  assert.deepEqual(extras(`${INNER}${JSON_LINE}\n`), ["protocol=inner"]);
});

test("rules whose expressions weren't told are unread", () => {
  assert.deepEqual(extras(`${JSON_LINE}\n`), ["unread"]);
  assert.deepEqual(extras(`${OUTER.replace("walls", "other")}${JSON_LINE}\n`), ["unread"]);
});

test("expressions alone, and nothing, aren't a listing", () => {
  for (const told of ["", OUTER, JSON_LINE.slice(0, -1)]) {
    assert.throws(() => parseToldRules(Buffer.from(told)), { code: "NFT_OUTPUT" });
  }
});

test("the answer ends with its JSON", () => {
  assert.equal(isToldJson(JSON_LINE), true);
  for (const line of ["", ...OUTER.split("\n")]) assert.equal(isToldJson(line), false);
});

/** nft prints a log prefix as it is, with its line ends. */
const prefixed = (text: string): string =>
  `inet other c 2\n  [ log prefix a\n${text}\n level 4 ]\n\n`;

test("what somebody else's log prefix says of our rules hides nothing", () => {
  assert.deepEqual(extras(`${INNER}${prefixed(OUTER)}${JSON_LINE}\n`), ["protocol=inner"]);
  assert.deepEqual(extras(`${prefixed(INNER)}${OUTER}${JSON_LINE}\n`), ["protocol=inner"]);
  assert.deepEqual(extras(`${prefixed("b")}${OUTER}${JSON_LINE}\n`), [], "control");
});

test("a log prefix that begins like the JSON makes the whole answer none", () => {
  const told = `${OUTER}${prefixed('{"nftables":[]}')}${JSON_LINE}\n`;
  assert.throws(() => parseToldRules(Buffer.from(told)), { code: "NFT_OUTPUT" });
});
