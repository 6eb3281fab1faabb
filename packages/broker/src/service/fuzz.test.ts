import assert from "node:assert/strict";
import { Duplex } from "node:stream";
import { describe, it } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { DEFAULT_LIMITS } from "../policy/index.js";
import { systemTimers } from "../system-timers.js";
import { grantFor } from "../testing/broker-lab.js";
import { createBroker } from "./broker.js";
import type { EgressReceipt } from "./receipt.js";

const HOST = "api.example.com";
const ASKED = { source: "asked", ageMs: 0, queries: 2, ms: 1 } as const;
const SEED_REQUESTS = [
  `CONNECT ${HOST}:443 HTTP/1.1\r\nHost: ${HOST}:443\r\n\r\n`,
  `CONNECT ${HOST}:9000 HTTP/1.1\r\n\r\n\x16\x03\x01`,
  `GET http://${HOST}/a HTTP/1.1\r\nHost: ${HOST}\r\nConnection: x\r\n\r\n`,
  `POST http://${HOST}/a HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 3\r\n\r\nabc`,
  `POST http://${HOST}/a HTTP/1.1\r\nHost: ${HOST}\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n`,
];

/** A client of the broker that keeps what it is told. */
const client = () => {
  const told: Buffer[] = [];
  const stream = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _encoding, done) => {
      told.push(chunk);
      done();
    },
  });
  return { stream, told: () => Buffer.concat(told).toString("latin1") };
};

describe("a broker's first bytes", () => {
  it("whatever they are, end in one answer and one receipt, and dial what is granted or nothing", async () => {
    const change = fc.record({
      at: fc.nat({ max: 200 }),
      cut: fc.nat({ max: 3 }),
      put: fc.oneof(
        fc.uint8Array({ maxLength: 4 }).map((bytes) => Buffer.from(bytes).toString("latin1")),
        fc.constantFrom(
          "\r\n",
          "\n",
          "\0",
          " ",
          ":",
          "@",
          "%00",
          "http://",
          ".",
          "x".repeat(2_000),
        ),
      ),
    });
    const cuts = fc.array(fc.nat({ max: 120 }), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...SEED_REQUESTS),
        fc.array(change, { maxLength: 4 }),
        cuts,
        async (request, changes, places) => {
          let text = request;
          for (const { at, cut, put } of changes) {
            text = text.slice(0, at) + put + text.slice(at + cut);
          }
          const receipts: EgressReceipt[] = [];
          const asked: string[] = [];
          const broker = createBroker({
            policy: {
              grants: [grantFor(HOST, 443), grantFor(HOST, 80, { protocol: "http" })],
              resolvers: [],
              limits: { ...DEFAULT_LIMITS, maxHeaderBytes: 1024 },
              digest: "",
            },
            resolver: {
              resolve: async (host) => {
                asked.push(host);
                return { kind: "refused", reason: "DNS_NO_NAME", ...ASKED };
              },
            },
            dial: () => assert.fail("no address was found"),
            timers: systemTimers,
            receipts: (receipt) => receipts.push(receipt),
            onBroken: (error) => {
              throw error;
            },
          });
          const { stream, told } = client();
          broker.accept(stream);
          const bytes = Buffer.from(text, "latin1");
          const marks = [0, ...places.map((place) => place % (bytes.length + 1)), bytes.length];
          marks.sort((a, b) => a - b);
          for (const [index, end] of marks.slice(1).entries()) {
            stream.push(bytes.subarray(marks[index], end));
            await new Promise((resolve) => setImmediate(resolve));
          }
          stream.push(null);
          await broker.close();
          const answers = told().split("HTTP/1.1 403 Forbidden\r\n").length - 1;
          assert.ok(answers <= 1);
          assert.equal(receipts.filter(({ kind }) => kind === "decision").length, answers);
          if (answers === 0) assert.equal(told(), "");
          assert.ok(asked.every((host) => host === HOST));
        },
      ),
      { numRuns: profile.fuzz, seed: profile.seed },
    );
  });
});
