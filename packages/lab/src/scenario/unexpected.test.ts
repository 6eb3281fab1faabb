import assert from "node:assert/strict";
import { test } from "node:test";
import { DrydockError } from "@drydock/evidence";
import { unexpectedOf } from "./unexpected.js";

const HERE = /^scenario\/unexpected\.test\.js:\d+$/;

test("an error's code and line are kept", () => {
  const { code, at } = unexpectedOf(new DrydockError("STORE_BUSY", "a message"));
  assert.equal(code, "STORE_BUSY");
  assert.match(at ?? "", HERE);
  assert.equal(unexpectedOf(new TypeError("x")).code, "TypeError");
  const system = Object.assign(new Error("x"), { code: "ECONNRESET" });
  assert.equal(unexpectedOf(system).code, "ECONNRESET");
});

test("and its message isn't, whatever it looks like", () => {
  const word = "plantedvalue";
  const message = `${word}\n    at ${word} (/a/${word}.js:1:1)\n    at b (/${word}/b.js:2:2)`;
  const class_ = { [`of ${word}`]: class extends Error {} }[`of ${word}`] ?? Error;
  for (const error of [
    new Error(message),
    Object.assign(new Error(message), { code: `${word} and more` }),
    new class_(message),
    message,
    { message, code: word },
    Object.assign(new Error(word), { stack: 7 }),
  ]) {
    const found = unexpectedOf(error);
    assert.ok(!JSON.stringify(found).includes(word), JSON.stringify(found));
  }
});
