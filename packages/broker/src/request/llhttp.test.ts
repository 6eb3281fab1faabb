import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { createBodyReader } from "./body-reader.js";
import type { AbsoluteRequest, Framing } from "./model.js";
import { createRequestReader } from "./request-reader.js";
import { createResponseReader } from "./response-reader.js";
import { driveBody, octets, text } from "./testing/drive.js";
import { requests, responses } from "./testing/messages.js";
import { nodeReadsRequests, nodeReadsResponse, type PeerRequests } from "./testing/node-peer.js";

const FUZZ = { numRuns: profile.fuzz * 2, seed: profile.seed };
const LIMITS = { maxHeaderBytes: 4096 };

/** What comes behind a message: seen as a request by whoever ends the message where it ends. */
const NEXT = "GET http://next.example/ HTTP/1.1\r\nHost: next.example\r\n\r\n";

const targetOf = (bytes: string): string => bytes.split(" ")[1] ?? "";

const compareContent = (step: AbsoluteRequest, peer: PeerRequests): "end" | "other" => {
  const [first, next] = peer.requests;
  const ours = driveBody(createBodyReader(step.body), [step.rest]);
  if (ours.outcome !== "end") {
    return "other";
  }
  assert.equal(first?.complete, true);
  assert.equal(first?.content, ours.content);
  // Node reads no further after the last request of a connection.
  if (step.keepAlive && ours.rest === NEXT) {
    assert.equal(next?.target, "http://next.example/");
  }
  return "end";
};

describe("never more lenient than llhttp", () => {
  it("a request that is accepted is the same one there, and ends at the same byte", async () => {
    let connects = 0;
    let whole = 0;
    await fc.assert(
      fc.asyncProperty(requests, async (message) => {
        const bytes = message + NEXT;
        const step = createRequestReader(LIMITS).push(octets(bytes));
        if (step.kind === "connect") {
          const peer = await nodeReadsRequests(octets(bytes));
          assert.deepEqual(peer.connect, { target: targetOf(bytes), rest: text(step.rest) });
          connects++;
        }
        if (step.kind === "absolute") {
          const peer = await nodeReadsRequests(octets(bytes));
          assert.deepEqual(
            [peer.requests[0]?.method, peer.requests[0]?.target],
            [step.method, targetOf(bytes)],
          );
          whole += compareContent(step, peer) === "end" ? 1 : 0;
        }
      }),
      FUZZ,
    );
    assert.ok(connects > FUZZ.numRuns / 100 && whole > FUZZ.numRuns / 50, `${connects} ${whole}`);
  });

  it("a response that is accepted is the same one there, with the same content", async () => {
    let whole = 0;
    const methods = fc.constantFrom("GET", "GET", "HEAD", "POST");
    await fc.assert(
      fc.asyncProperty(responses, methods, async (message, method) => {
        const step = createResponseReader(LIMITS, method).push(octets(message));
        if (step.kind !== "response") {
          return;
        }
        const content = readToTheEnd(step.body, step.rest);
        if (content === null) {
          return;
        }
        const peer = await nodeReadsResponse(method, octets(message));
        assert.deepEqual(peer, { status: step.status, interim: [], content, complete: true });
        whole++;
      }),
      FUZZ,
    );
    assert.ok(whole > FUZZ.numRuns / 50, `${whole}`);
  });
});

/** Null where the content is refused, or goes on, or is followed by something. */
const readToTheEnd = (framing: Framing, rest: Uint8Array): string | null => {
  const reader = createBodyReader(framing);
  const read = driveBody(reader, [rest]);
  if (read.outcome === "more" && framing.kind === "until-close") {
    return read.content;
  }
  return read.outcome === "end" && read.rest === "" ? read.content : null;
};
