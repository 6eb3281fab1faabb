import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReadAnswer } from "../../client/index.js";
import { syntheticNotice as adapter } from "./adapter.js";

const notice = { headline: "all is well", priority: 1, audience: "staff" };

const intent = (change: object = {}) => ({
  operation: "set_synthetic_notice_v1",
  headline: "closed",
  priority: 5,
  ...change,
});

const success = (data: unknown): ReadAnswer => ({
  status: 200,
  body: { code: 200, status: "ok", response_id: "SUCCESS", message: "", data },
});

const read = (answer: ReadAnswer) =>
  adapter.readTarget({ get: async () => answer }, { singleton: "notice" });

test("a headline is 1 to 80 code points on one line, a priority 0 to 9", () => {
  for (const change of [
    { headline: "h" },
    { headline: "h".repeat(80) },
    { headline: "\u{1f600}".repeat(80) },
    { priority: 0 },
    { priority: 9 },
  ]) {
    assert.deepEqual(adapter.parseIntent(intent(change)), intent(change));
  }
  assert.equal(adapter.parseIntent(intent({ headline: "e\u0301".repeat(80) })).headline.length, 80);
  for (const change of [
    { headline: "" },
    { headline: "h".repeat(81) },
    { headline: "two\nlines" },
    { headline: "\u2028" },
    { headline: "\ud83d" },
    { headline: 7 },
    { priority: -1 },
    { priority: 10 },
    { priority: 1.5 },
    { audience: "everyone" },
  ]) {
    assert.throws(() => adapter.parseIntent(intent(change)), { code: "INTENT_INVALID" });
  }
});

test("there is one, without a number", async () => {
  const target = await read(success(notice));
  assert.deepEqual(target, notice);
  assert.equal(adapter.transportLocator(target), 0);
  await assert.rejects(read({ status: 404, body: null }), { code: "TARGET_ABSENT" });
  await assert.rejects(read({ status: 500, body: null }), { code: "READ_REFUSED" });
  await assert.rejects(read(success({ ...notice, headline: "e\u0301" })), {
    code: "ANSWER_INVALID",
  });
  await assert.rejects(
    adapter.readTarget({ get: async () => success(notice) }, { singleton: "other" }),
    { code: "IDENTITY_INVALID" },
  );
});

test("both fields are put, and the one that isn't to change as it is", () => {
  const target = adapter.parseTarget(notice);
  const request = adapter.buildRequest(adapter.parseIntent(intent()), target);
  assert.deepEqual(request, {
    method: "PUT",
    endpoint: "SYNTHETIC_NOTICE",
    body: { headline: "closed", priority: 5, audience: "staff" },
  });
  const half = adapter.parseIntent(intent({ headline: notice.headline }));
  assert.ok(adapter.buildRequest(half, target), "one of two is a change");
  const none = adapter.parseIntent(intent({ headline: notice.headline, priority: 1 }));
  assert.throws(() => adapter.buildRequest(none, target), { code: "INTENT_CHANGES_NOTHING" });
});
