import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { test } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { pointer, type RecordSpec, response } from "../../testing/dns-message.js";
import { RESOLVER_LIMITS } from "../limits.js";
import { mutatedAnswer, QUESTION, sampleAnswer } from "../testing/arbitrary-answer.js";
import { readAnswer } from "./read-answer.js";

const runs = { numRuns: profile.fuzz, seed: profile.seed };
const read = (message: Uint8Array) => readAnswer(QUESTION, message, "tcp", RESOLVER_LIMITS);

test("a right answer is read in full, whatever its order and compression", () => {
  fc.assert(
    fc.property(sampleAnswer, ({ message, addresses }) => {
      const answer = read(message);
      assert.equal(answer.kind, "addresses");
      const found = answer.kind === "addresses" ? answer.addresses : [];
      assert.deepEqual(found.map(({ bytes }) => bytes.join(".")).sort(), addresses);
    }),
    runs,
  );
});

test("random bytes are never an answer", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 600 }), (message) => {
      assert.equal(read(message).kind, "unrelated");
    }),
    runs,
  );
  // Nor behind a right header and question.
  const head = response({ id: QUESTION.id, name: "www.example.com", type: 1 });
  const counts = fc.uint8Array({ minLength: 6, maxLength: 6 });
  fc.assert(
    fc.property(counts, fc.uint8Array({ maxLength: 200 }), (count, rest) => {
      const message = Buffer.concat([head.subarray(0, 6), count, head.subarray(12), rest]);
      const answer = read(message);
      if (answer.kind === "addresses") assert.ok(answer.addresses.length * 16 <= rest.length);
    }),
    runs,
  );
});

test("a mutated answer never throws and never yields an address that isn't in it", () => {
  fc.assert(
    fc.property(mutatedAnswer, (message) => {
      const answer = read(message);
      if (answer.kind !== "addresses") return;
      assert.ok(answer.addresses.length <= RESOLVER_LIMITS.maxAnswers);
      for (const { bytes } of answer.addresses) {
        assert.notEqual(Buffer.from(message).indexOf(Buffer.from(bytes)), -1);
      }
    }),
    runs,
  );
});

test("the costliest message is read in a few milliseconds", () => {
  // Every owner is as long as a name may be, one label a jump, in as many records as are read.
  const chain: RecordSpec[] = Array.from({ length: 112 }, (_, n) => ({
    owner: Buffer.concat([Buffer.from("\x01a"), pointer(n === 0 ? 12 : 33 + (n - 1) * 14)]),
    type: 16,
    data: Buffer.alloc(0),
  }));
  const last: RecordSpec = { owner: pointer(33 + 110 * 14), type: 16, data: Buffer.alloc(0) };
  const records = [...chain, ...Array<RecordSpec>(16).fill(last)];
  const { maxAnswers } = RESOLVER_LIMITS;
  const message = response(
    { id: QUESTION.id, name: "www.example.com", type: 1 },
    { authority: records.slice(0, maxAnswers), additional: records.slice(maxAnswers) },
  );
  assert.ok(message.length <= RESOLVER_LIMITS.maxMessageBytes, `${message.length}`);
  const began = process.hrtime.bigint();
  assert.deepEqual(read(message), {
    kind: "addresses",
    addresses: [],
    ttl: Number.POSITIVE_INFINITY,
  });
  const ms = Number(process.hrtime.bigint() - began) / 1e6;
  // Wide, for a busy machine: an exponential reader would need longer than the test may.
  assert.ok(ms < 1000, `${ms} ms`);
});
