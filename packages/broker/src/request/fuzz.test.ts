import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { parseAuthority } from "../authority/parse.js";
import { createBodyReader } from "./body-reader.js";
import { createRequestReader } from "./request-reader.js";
import { createResponseReader } from "./response-reader.js";
import { cutAt, drive, driveBody, octets } from "./testing/drive.js";
import { contents, cuts, requests, responses } from "./testing/messages.js";

const FUZZ = { numRuns: profile.fuzz * 5, seed: profile.seed };
const LIMITS = fc.record({
  maxHeaderBytes: fc.oneof(fc.constant(4096), fc.integer({ min: 1, max: 150 })),
});

const anyOctets = fc
  .uint8Array({ maxLength: 200 })
  .map((bytes) => Buffer.from(bytes).toString("latin1"));

describe("any segmentation of the same bytes gives the same result", () => {
  it("of a request head", () => {
    let accepted = 0;
    fc.assert(
      fc.property(fc.oneof(requests, anyOctets), cuts, LIMITS, (bytes, ends, limits) => {
        const whole = drive(createRequestReader(limits), [octets(bytes)]);
        const pieces = drive(createRequestReader(limits), cutAt(octets(bytes), ends));
        assert.deepEqual(pieces, whole);
        if (whole.kind === "connect" || whole.kind === "absolute") {
          accepted++;
          const { host, port } = whole.authority;
          assert.deepEqual(parseAuthority(`${host}:${port}`), {
            kind: "authority",
            authority: whole.authority,
          });
          assert.ok(bytes.length - whole.rest.length <= limits.maxHeaderBytes);
        }
      }),
      FUZZ,
    );
    assert.ok(accepted > FUZZ.numRuns / 50, `${accepted}`);
  });

  it("of a response head", () => {
    let accepted = 0;
    fc.assert(
      fc.property(fc.oneof(responses, anyOctets), cuts, LIMITS, (bytes, ends, limits) => {
        const whole = drive(createResponseReader(limits, "GET"), [octets(bytes)]);
        const pieces = drive(createResponseReader(limits, "GET"), cutAt(octets(bytes), ends));
        assert.deepEqual(pieces, whole);
        accepted += whole.kind === "response" ? 1 : 0;
      }),
      FUZZ,
    );
    assert.ok(accepted > FUZZ.numRuns / 50, `${accepted}`);
  });

  it("of content", () => {
    let accepted = 0;
    const framing = fc.oneof(
      { weight: 4, arbitrary: fc.constant({ kind: "chunked" } as const) },
      { weight: 1, arbitrary: fc.nat(20).map((bytes) => ({ kind: "length", bytes }) as const) },
    );
    fc.assert(
      fc.property(fc.oneof(contents, anyOctets), cuts, framing, (bytes, ends, how) => {
        const whole = driveBody(createBodyReader(how), [octets(bytes)]);
        assert.deepEqual(driveBody(createBodyReader(how), cutAt(octets(bytes), ends)), whole);
        accepted += whole.outcome === "end" ? 1 : 0;
      }),
      FUZZ,
    );
    assert.ok(accepted > FUZZ.numRuns / 50, `${accepted}`);
  });
});

describe("the work grows no faster than the bytes", () => {
  // A thousand times the longest head that a policy allows, byte by byte. What looks at earlier
  // bytes again for each new one takes hours, so the bound holds on a slow machine too.
  const LENGTH = 2_000_000;
  const SECONDS = 60;

  const timed = (name: string, work: () => void): void => {
    it(name, () => {
      const started = process.hrtime.bigint();
      work();
      const seconds = Number(process.hrtime.bigint() - started) / 1e9;
      assert.ok(seconds < SECONDS, `${seconds} s`);
    });
  };

  const START = "POST http://a.example/ HTTP/1.1\r\nHost: a.example\r\n";
  for (const [name, unit] of [
    ["one long field", "a"],
    ["many short fields", "a:\r\n"],
    ["many members of Connection", "Connection: a,b,c\r\n"],
    ["many commas", "Connection: ,,,,,,,,,,\r\n"],
    ["much white space", "x:                     y\r\n"],
  ] as const) {
    timed(name, () => {
      const fields = unit.repeat(Math.ceil(LENGTH / unit.length));
      const end = unit.endsWith("\n") ? "\r\n" : ":\r\n\r\n";
      const bytes = octets(START + fields + end);
      const reader = createRequestReader({ maxHeaderBytes: bytes.length });
      for (let at = 0; at < bytes.length - 1; at++) {
        assert.equal(reader.push(bytes.subarray(at, at + 1)).kind, "more");
      }
      assert.equal(reader.push(bytes.subarray(-1)).kind, "absolute");
    });
  }

  timed("a long path", () => {
    const line = `GET http://a.example/${"%2e.;/".repeat(LENGTH / 6)} HTTP/1.1\r\nHost: a.example\r\n\r\n`;
    const bytes = octets(line);
    createRequestReader({ maxHeaderBytes: bytes.length }).push(bytes);
  });

  timed("chunks of one byte", () => {
    const reader = createBodyReader({ kind: "chunked" });
    const bytes = octets('1;x="y"\r\na\r\n'.repeat(LENGTH / 12));
    for (let at = 0; at < bytes.length; at++) {
      assert.equal(reader.push(bytes.subarray(at, at + 1)).kind, "data");
    }
  });
});
