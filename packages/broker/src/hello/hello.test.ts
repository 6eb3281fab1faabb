import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { describe, it } from "node:test";
import { connect as connectTls } from "node:tls";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { HELLO_LIMITS, type HelloStep } from "./hello.js";
import { createHelloReader, createSecondHelloReader } from "./reader.js";
import { createAnswerReader } from "./server-answer.js";
import {
  clientHello,
  type Extension,
  filler,
  type HelloFields,
  helloBody,
  keyShare,
  message,
  nameEntry,
  record,
  records,
  serverHello,
  serverName,
  sni,
} from "./testing/build-hello.js";

const NAME = "api.example.com";
const runs = { numRuns: profile.fuzz, seed: profile.seed };
/** Bytes that nobody meant well: a million of each kind in a soak. */
const hostileRuns = { numRuns: profile.fuzz * 10, seed: profile.seed };

const read = (pieces: readonly Uint8Array[], limits = HELLO_LIMITS): HelloStep => {
  const reader = createHelloReader(limits);
  for (const piece of pieces) {
    const step = reader.push(piece);
    if (step.kind !== "more") return step;
  }
  return { kind: "more" };
};

/** Reason, or the name that was read. */
const said = (step: HelloStep): string | null => {
  switch (step.kind) {
    case "more":
      return "more";
    case "refused":
      return step.reason;
    case "hello":
      return step.hello.serverName;
  }
};

const saidOf = (fields: HelloFields): string | null => said(read([clientHello(fields)]));
const withExtensions = (...extensions: readonly Extension[]) => saidOf({ extensions });

describe("a ClientHello", () => {
  it("is read however records and message are split, and kept byte for byte", () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 900 }), { maxLength: 20 });
    const cuts = fc.array(fc.nat({ max: 4000 }), { maxLength: 12 });
    const behind = fc.uint8Array({ maxLength: 40 });
    fc.assert(
      fc.property(sizes, cuts, behind, (lengths, places, rest) => {
        const hello = clientHello({ extensions: [keyShare(), sni(NAME)] }, lengths);
        const sent = Buffer.concat([hello, rest]);
        const marks = [0, ...places.map((cut) => cut % sent.length), sent.length];
        const sorted = marks.sort((a, b) => a - b);
        const reader = createHelloReader(HELLO_LIMITS);
        const after: Uint8Array[] = [];
        let found: HelloStep = { kind: "more" };
        for (const [index, end] of sorted.slice(1).entries()) {
          const piece = sent.subarray(sorted[index], end);
          if (found.kind === "more") found = reader.push(piece);
          else after.push(piece);
        }
        assert(found.kind === "hello");
        assert.equal(found.hello.serverName, NAME);
        assert.deepEqual(Buffer.from(found.raw), hello);
        assert.deepEqual(Buffer.concat([found.rest, ...after]), Buffer.from(rest));
      }),
      runs,
    );
  });

  it("may be as large as post-quantum key shares and tickets make it, with the name last", () => {
    for (const size of [1216, 1665, 4_000, 12_000]) {
      assert.equal(withExtensions(keyShare(size), sni(NAME)), NAME);
    }
    assert.equal(withExtensions(filler(35, 16_000), keyShare(14_000), sni(NAME)), NAME);
  });

  it("has a limit of bytes and of records, whatever is in them", () => {
    assert.equal(withExtensions(filler(35, 33_000), sni(NAME)), "HELLO_TOO_LARGE");
    const one = Array.from({ length: 63 }, () => 1);
    assert.equal(said(read([clientHello({}, one)])), NAME);
    assert.equal(said(read([clientHello({}, [...one, 1, 1])])), "HELLO_TOO_LARGE");
    const announced = record(22, [1, 0xff, 0xff, 0xff]);
    assert.equal(said(read([announced])), "HELLO_TOO_LARGE");
    assert.equal(said(read([record(22, [])])), "HELLO_MALFORMED");
  });

  it("without a name is told from one whose name can't be read", () => {
    const cases: readonly (readonly [string, HelloFields, string | null])[] = [
      ["no server_name", { extensions: [keyShare()] }, null],
      ["no extensions at all", { extensions: null }, null],
      ["one name", { extensions: [sni(NAME)] }, NAME],
      [
        "upper case is left for the guard",
        { extensions: [sni("API.Example.COM")] },
        "API.Example.COM",
      ],
      [
        "two names",
        { extensions: [serverName(nameEntry(NAME), nameEntry("b.example"))] },
        "SNI_DUPLICATE",
      ],
      [
        "the same name twice",
        { extensions: [serverName(nameEntry(NAME), nameEntry(NAME))] },
        "SNI_DUPLICATE",
      ],
      [
        "two extensions",
        { extensions: [sni(NAME), keyShare(), sni("b.example")] },
        "SNI_DUPLICATE",
      ],
      ["another type of name", { extensions: [serverName(nameEntry(NAME, 1))] }, "HELLO_MALFORMED"],
      [
        "another type beside it",
        { extensions: [serverName(nameEntry(NAME), nameEntry("x", 1))] },
        "HELLO_MALFORMED",
      ],
      ["an empty list", { extensions: [serverName()] }, "HELLO_MALFORMED"],
      ["an empty extension", { extensions: [{ type: 0, body: [] }] }, "HELLO_MALFORMED"],
      ["an empty name", { extensions: [sni("")] }, "HELLO_MALFORMED"],
      ["a NUL", { extensions: [sni(`${NAME}\0.b.example`)] }, "HELLO_MALFORMED"],
      ["a space", { extensions: [sni("api example.com")] }, "HELLO_MALFORMED"],
      [
        "UTF-8",
        { extensions: [serverName(nameEntry([0xc3, 0xa9, 0x2e, 0x63]))] },
        "HELLO_MALFORMED",
      ],
      [
        "a list longer than it is",
        { extensions: [{ type: 0, body: [0, 9, 0, 0, 1, 0x61] }] },
        "HELLO_MALFORMED",
      ],
      [
        "bytes behind the list",
        { extensions: [{ type: 0, body: [...sni(NAME).body, 0] }] },
        "HELLO_MALFORMED",
      ],
      [
        "a name longer than its list",
        { extensions: [{ type: 0, body: [0, 4, 0, 0, 9, 0x61] }] },
        "HELLO_MALFORMED",
      ],
    ];
    for (const [what, fields, expected] of cases) assert.equal(saidOf(fields), expected, what);
  });

  it("is refused when any length doesn't add up, and read when it does", () => {
    const cases: readonly (readonly [string, HelloFields, string])[] = [
      ["as it should be", {}, NAME],
      ["TLS 1.0", { version: 0x0301 }, NAME],
      ["SSL 3.0", { version: 0x0300 }, "HELLO_MALFORMED"],
      ["a version to come", { version: 0x0400 }, "HELLO_MALFORMED"],
      ["a session id of 33 bytes", { sessionId: Array(33).fill(1) }, "HELLO_MALFORMED"],
      ["no session id", { sessionId: [] }, NAME],
      ["half a suite", { suites: [0x13, 1, 0x13] }, "HELLO_MALFORMED"],
      ["no suite", { suites: [] }, "HELLO_MALFORMED"],
      ["no compression method", { compression: [] }, "HELLO_MALFORMED"],
      ["bytes behind the extensions", { after: [0] }, "HELLO_MALFORMED"],
      [
        "an extension twice",
        { extensions: [sni(NAME), filler(35, 3), filler(35, 3)] },
        "HELLO_MALFORMED",
      ],
      ["pre_shared_key last", { extensions: [sni(NAME), filler(41, 9)] }, NAME],
      [
        "something behind pre_shared_key",
        { extensions: [filler(41, 9), sni(NAME)] },
        "HELLO_MALFORMED",
      ],
    ];
    for (const [what, fields, expected] of cases) assert.equal(saidOf(fields), expected, what);
    const body = helloBody();
    for (let length = 0; length < body.length; length += 1) {
      const cut = said(read([records(message(1, body.slice(0, length)))]));
      // After the compression methods a hello without extensions ends, RFC 5246 §7.4.1.2.
      if (cut !== null) assert.equal(cut, "HELLO_MALFORMED", `cut at ${length}`);
    }
  });

  it("names the protocols that the client speaks, in its order", () => {
    const alpn = (...body: number[]) =>
      read([clientHello({ extensions: [sni(NAME), { type: 16, body }] })]);
    const step = alpn(0, 12, 2, 0x68, 0x32, 8, ...Buffer.from("http/1.1"));
    assert(step.kind === "hello");
    assert.deepEqual(step.hello.alpn, ["h2", "http/1.1"]);
    assert.equal(said(alpn(0, 4, 2, 0x68, 0x32, 0)), "HELLO_MALFORMED");
    assert.equal(said(alpn(0, 3, 3, 0x68, 0x32)), "HELLO_MALFORMED");
    assert.equal(said(alpn(0, 0)), "HELLO_MALFORMED");
  });

  it("is noticed to be encrypted, in its RFC and in its drafts", () => {
    for (const type of [0xfe0d, 0xfe0a, 0xffce, 0xfd00]) {
      const step = read([clientHello({ extensions: [filler(type, 200), sni(NAME)] })]);
      assert(step.kind === "hello");
      assert.equal(step.hello.ech, true, type.toString(16));
    }
    const step = read([clientHello({ extensions: [filler(0xfe0e, 200), sni(NAME)] })]);
    assert(step.kind === "hello");
    assert.equal(step.hello.ech, false);
  });

  it("is nothing else: not SSL 2.0, an alert, data, another message or another protocol", () => {
    const hello = clientHello();
    const cases: readonly (readonly [string, Uint8Array, string])[] = [
      ["SSL 2.0", Buffer.from([0x80, 0x2e, 0x01, 0x03, 0x01]), "HELLO_NOT_TLS"],
      ["an alert", record(21, [2, 40]), "HELLO_NOT_TLS"],
      ["application data", record(23, [1, 2, 3]), "HELLO_NOT_TLS"],
      ["change_cipher_spec first", Buffer.concat([record(20, [1]), hello]), "HELLO_NOT_TLS"],
      ["a ServerHello", serverHello(false), "HELLO_NOT_TLS"],
      ["HTTP", Buffer.from("GET / HTTP/1.1\r\n\r\n"), "HELLO_NOT_TLS"],
      ["SSH", Buffer.from("SSH-2.0-x\r\n"), "HELLO_NOT_TLS"],
      [
        "a record of version 2",
        Buffer.concat([Buffer.from([22, 2]), hello.subarray(2)]),
        "HELLO_NOT_TLS",
      ],
      [
        "a second message in the record",
        record(22, [...message(1, helloBody()), ...message(1, [])]),
        "HELLO_MALFORMED",
      ],
      [
        "an alert between its records",
        Buffer.concat([clientHello({}, [40]).subarray(0, 45), record(21, [2, 40])]),
        "HELLO_MALFORMED",
      ],
      ["a record of more than 2^14 bytes", Buffer.from([22, 3, 1, 0x40, 0x01]), "HELLO_MALFORMED"],
    ];
    for (const [what, bytes, expected] of cases) assert.equal(said(read([bytes])), expected, what);
    for (const byte of ["\x80", "\x15", "G"]) {
      assert.equal(said(read([Buffer.from(byte, "latin1")])), "HELLO_NOT_TLS");
    }
  });

  it("costs time that grows with its bytes, in whatever pieces they come", () => {
    const hello = clientHello({ extensions: [filler(35, 15_000), keyShare(14_000), sni(NAME)] });
    const reader = createHelloReader(HELLO_LIMITS);
    const before = process.cpuUsage();
    let step: HelloStep = { kind: "more" };
    for (const byte of hello) step = reader.push(Uint8Array.of(byte));
    const { user } = process.cpuUsage(before);
    assert.equal(said(step), NAME);
    assert.ok(user < 2_000_000, `${user} µs for ${hello.length} pushes`);
  });

  it("survives any change, and says the same however it is cut", () => {
    const edit = fc.record({ at: fc.nat({ max: 400 }), byte: fc.integer({ min: 0, max: 255 }) });
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 6 }), fc.nat({ max: 600 }), (edits, cut) => {
        const bytes = clientHello({ extensions: [filler(35, 30), sni(NAME)] }, [60, 80]);
        for (const { at, byte } of edits) bytes[at % bytes.length] = byte;
        const whole = read([bytes]);
        const parts = read([bytes.subarray(0, cut), bytes.subarray(cut)]);
        assert.equal(said(parts), said(whole));
      }),
      hostileRuns,
    );
  });

  it("is never found in random bytes behind a right beginning without being whole", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        const step = read([Buffer.concat([Buffer.from([22, 3, 1]), bytes])]);
        if (step.kind === "hello")
          assert.equal(step.raw.length + step.rest.length, bytes.length + 3);
      }),
      hostileRuns,
    );
  });
});

describe("the ClientHello after a HelloRetryRequest", () => {
  const second = (earlyData: boolean, ...parts: readonly Uint8Array[]) => {
    const reader = createSecondHelloReader(HELLO_LIMITS, earlyData);
    return said(reader.push(Buffer.concat(parts)));
  };
  const hello = clientHello();

  it("may stand behind change_cipher_spec, and behind early data where that was announced", () => {
    const data = record(23, Array(300).fill(0));
    assert.equal(second(false, hello), NAME);
    assert.equal(second(false, record(20, [1]), hello), NAME);
    assert.equal(second(false, record(20, [1, 1]), hello), "HELLO_MALFORMED");
    assert.equal(second(true, record(20, [1]), data, data, hello), NAME);
    assert.equal(second(false, data, hello), "HELLO_NOT_TLS");
    assert.equal(second(true, ...Array(110).fill(data), hello), "HELLO_TOO_LARGE");
  });

  it("is seen to be asked for, in whatever pieces the server answers", () => {
    for (const retry of [true, false]) {
      const answer = serverHello(retry);
      for (const size of [1, 7, 38, answer.length]) {
        const reader = createAnswerReader();
        let step = "more";
        for (let at = 0; at < answer.length && step === "more"; at += size) {
          step = reader.push(answer.subarray(at, at + size));
        }
        assert.equal(step, retry ? "retry" : "other", `pieces of ${size}`);
      }
    }
    const body = [...serverHello(true).subarray(5)];
    assert.equal(createAnswerReader().push(records(body, [3, 20])), "retry");
    assert.equal(createAnswerReader().push(record(21, [2, 40])), "other");
    assert.equal(createAnswerReader().push(record(22, [])), "other");
    assert.equal(createAnswerReader().push(Buffer.from("220 ready")), "other");
  });
});

describe("the hello of a real client", () => {
  it("is read", async (t) => {
    const server = createServer().listen(0, "127.0.0.1");
    t.after(() => server.close());
    await once(server, "listening");
    const address = server.address();
    assert(typeof address === "object" && address !== null);
    const client = connectTls({
      socket: connect(address.port, "127.0.0.1"),
      servername: NAME,
      ALPNProtocols: ["h2", "http/1.1"],
    });
    client.on("error", () => undefined);
    t.after(() => client.destroy());
    const [socket] = await once(server, "connection");
    t.after(() => socket.destroy());
    const [bytes] = await once(socket, "data");
    assert.equal(said(read([bytes])), NAME);
  });
});
