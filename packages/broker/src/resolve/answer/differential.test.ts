import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { RESOLVER_LIMITS } from "../limits.js";
import { mutatedAnswer, QUESTION, sampleAnswer } from "../testing/arbitrary-answer.js";
import { readAnswer } from "./read-answer.js";

/** dnspython (python3-dnspython, for Debian's own Python) reads the same messages, one in hexadecimal a line. */
const PEER = `
import json, sys
import dns.message
def read(text):
    try:
        found = dns.message.from_wire(bytes.fromhex(text)).resolve_chaining()
    except Exception as error:
        return {"error": type(error).__name__}
    return {"addresses": sorted(one.to_text() for one in found.answer or [])}
for line in sys.stdin:
    print(json.dumps(read(line.strip())))
`;

type Verdict = { readonly addresses: readonly string[] } | { readonly error: string };

const peerReads = (messages: readonly Uint8Array[]): Verdict[] => {
  const input = messages.map((message) => `${Buffer.from(message).toString("hex")}\n`).join("");
  const { status, stdout, stderr } = spawnSync("/usr/bin/python3", ["-c", PEER], {
    input,
    encoding: "utf8",
    maxBuffer: 256 * 1024 * 1024,
  });
  assert.equal(status, 0, stderr);
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
};

const weRead = (message: Uint8Array): Verdict => {
  const answer = readAnswer(QUESTION, message, "tcp", RESOLVER_LIMITS);
  if (answer.kind !== "addresses") return { error: answer.kind };
  const texts = answer.addresses.map(({ bytes }) => bytes.join("."));
  return { addresses: [...new Set(texts)].sort() };
};

/** The peer needs a millisecond a message, so that a soak's full count would take hours. */
const COUNT = Math.min(profile.fuzz, 20_000);

const samples = <T>(arbitrary: fc.Arbitrary<T>): T[] =>
  fc.sample(arbitrary, { numRuns: COUNT, seed: profile.seed });

test("another reader finds the same addresses in right answers", () => {
  const messages = samples(sampleAnswer).map(({ message }) => message);
  assert.deepEqual(messages.map(weRead), peerReads(messages));
});

test("what is accepted of mutated answers, another reader accepts and reads alike", () => {
  const messages = samples(mutatedAnswer);
  const theirs = peerReads(messages);
  const counted = { both: 0, neither: 0, stricter: 0 };
  for (const [at, message] of messages.entries()) {
    const [ours, peer] = [weRead(message), theirs[at]];
    if ("error" in ours) {
      if (peer !== undefined && "error" in peer) counted.neither += 1;
      else counted.stricter += 1;
      continue;
    }
    // Data in sections that hold no answer isn't read here, and may be wrong.
    if (peer !== undefined && "error" in peer && otherSections(message) > 0) continue;
    assert.deepEqual(peer, ours, Buffer.from(message).toString("hex"));
    counted.both += 1;
  }
  // The comparison means something only while messages fall on both sides.
  assert.ok(counted.both > 0 && counted.neither > 0, JSON.stringify(counted));
});

const otherSections = (message: Uint8Array): number => Buffer.from(message).readUInt32BE(8);
