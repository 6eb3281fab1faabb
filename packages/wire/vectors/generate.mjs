/** Writes control.json and bulk.json: what every implementation has to accept and to refuse. */
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";

const digest = (bytes) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
const EMPTY = digest("");
const NONE = `sha256:${"0".repeat(64)}`;

const base = {
  body: { nonce: "p1" },
  deadline: "2000000000000000000",
  generation: 3,
  lease: "lease-1",
  payload: { digest: EMPTY, length: 0 },
  prev: NONE,
  run: "run-1",
  seq: 0,
  type: "pong",
  v: 1,
};
const frame = (text, payload = "") => {
  const header = Buffer.from(text);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(header.length);
  return Buffer.concat([length, header, Buffer.from(payload)]);
};
const canonical = (value) =>
  Array.isArray(value)
    ? `[${value.map(canonical).join(",")}]`
    : value !== null && typeof value === "object"
      ? `{${Object.keys(value)
          .sort()
          .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`)
          .join(",")}}`
      : JSON.stringify(value);
const text = (change = {}) => canonical({ ...base, ...change });
const without = (key) => {
  const { [key]: _, ...rest } = base;
  return canonical(rest);
};
const vector = (name, sender, bytes, frames, violation) => ({
  name,
  sender,
  base64: bytes.toString("base64"),
  frames,
  violation,
});
const refuse = (name, header, violation, payload) =>
  vector(`refuses ${name}`, "guest", frame(header, payload), 0, violation);

const first = frame(text());
const second = (change = {}) => frame(text({ seq: 1, prev: digest(first), ...change }));
const payload = "abc";
const withPayload = { payload: { digest: digest(payload), length: 3 } };

const control = [
  vector("accepts one frame", "guest", first, 1, null),
  vector("accepts nothing", "guest", Buffer.alloc(0), 0, null),
  vector("accepts a chain of two", "guest", Buffer.concat([first, second()]), 2, null),
  vector("accepts a payload", "guest", frame(text(withPayload), payload), 1, null),
  vector(
    "accepts a frame at the last instant before its deadline",
    "guest",
    frame(text({ deadline: "1900000000000000000" })),
    1,
    null,
  ),
  vector("accepts shutdown", "host", frame(text({ type: "shutdown", body: {} })), 1, null),
  refuse("an unknown field", text({ extra: 1 }), "header-field"),
  refuse("an unknown field of the body", text({ body: { nonce: "p1", x: 1 } }), "header-field"),
  refuse("an inherited name as a field", text({ body: { constructor: "p1" } }), "header-field"),
  refuse("__proto__", text().replace('"nonce"', '"__proto__"'), "header-field"),
  refuse("a missing field", without("lease"), "header-field"),
  refuse("a duplicate key", text().replace('"v":1', '"v":1,"v":1'), "header-json"),
  refuse("a float", text().replace('"seq":0', '"seq":0.0'), "header-json"),
  refuse("an exponent", text().replace('"seq":0', '"seq":0e0'), "header-json"),
  refuse("negative zero", text().replace('"seq":0', '"seq":-0'), "header-json"),
  refuse("a negative number", text({ seq: -1 }), "header-field"),
  refuse("a big integer", text().replace('"seq":0', '"seq":9007199254740993'), "header-json"),
  refuse("text for a number", text({ seq: "0" }), "header-field"),
  refuse("null for an object", text({ body: null }), "header-field"),
  refuse("white space", text().replace('"v":1', '"v": 1'), "header-json"),
  refuse("keys out of order", JSON.stringify({ v: base.v, ...base }), "header-json"),
  refuse("an escape that isn't needed", text().replace('"p1"', '"\\u00701"'), "header-json"),
  refuse("a lone surrogate", text().replace('"p1"', '"\\ud800"'), "header-json"),
  refuse("two values", `${text()}${text()}`, "header-json"),
  refuse("a byte order mark", `\ufeff${text()}`, "header-json"),
  refuse("an array", "[]", "header-field"),
  refuse("deep nesting", text({ body: [[[[[[[1]]]]]]] }), "header-json"),
  refuse("another version", text({ v: 2 }), "unknown-version"),
  refuse("an unknown type", text({ type: "format" }), "unknown-type"),
  refuse("a host's type from a guest", text({ type: "shutdown", body: {} }), "unknown-type"),
  refuse("an inherited name as a type", text({ type: "toString" }), "unknown-type"),
  refuse("another run", text({ run: "run-2" }), "wrong-run"),
  refuse("another lease", text({ lease: "lease-2" }), "wrong-lease"),
  refuse("an older generation", text({ generation: 2 }), "wrong-generation"),
  refuse("a newer generation", text({ generation: 4 }), "wrong-generation"),
  refuse("a later sequence number", text({ seq: 1 }), "out-of-order"),
  refuse("a predecessor that doesn't exist", text({ prev: digest("x") }), "wrong-previous"),
  refuse("a digest in upper case", text({ prev: NONE.toUpperCase() }), "header-field"),
  refuse("a passed deadline", text({ deadline: "1899999999999999999" }), "deadline-passed"),
  refuse("a deadline with a sign", text({ deadline: "+2000000000000000000" }), "header-field"),
  refuse("a payload with another digest", text(withPayload), "payload-digest", "abd"),
  refuse(
    "a payload where there is none",
    text({ ...withPayload, type: "channelOpen", body: { name: "drydock.bulk.0" } }),
    "payload-length",
    payload,
  ),
  refuse(
    "a payload over the limit",
    text({ payload: { digest: EMPTY, length: 65537 } }),
    "header-field",
  ),
  refuse("a cut payload", text(withPayload), "truncated", "ab"),
  vector("refuses an empty header", "guest", Buffer.alloc(4), 0, "frame-oversize"),
  vector("refuses a huge header", "guest", Buffer.from("ffffffff", "hex"), 0, "frame-oversize"),
  vector(
    "refuses a header just too long",
    "guest",
    Buffer.from("00040001", "hex"),
    0,
    "frame-oversize",
  ),
  vector("refuses half a length", "guest", Buffer.from("0000", "hex"), 0, "truncated"),
  vector("refuses a replay", "guest", Buffer.concat([first, first]), 1, "out-of-order"),
  vector(
    "refuses a frame after another history",
    "guest",
    Buffer.concat([first, second({ prev: NONE })]),
    1,
    "wrong-previous",
  ),
  vector(
    "refuses a second frame of another lease",
    "guest",
    Buffer.concat([first, second({ lease: "lease-2" })]),
    1,
    "wrong-lease",
  ),
];

const OPEN = 1;
const DATA = 2;
const WINDOW = 3;
const FIN = 4;
const RST = 5;
const bulkFrame = (type, stream, length, content = Buffer.alloc(0)) => {
  const header = Buffer.alloc(9);
  header.writeUInt8(type, 0);
  header.writeUInt32BE(stream, 1);
  header.writeUInt32BE(length, 5);
  return Buffer.concat([header, content]);
};
const number = (value) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const data = (stream, size) => bulkFrame(DATA, stream, size, Buffer.alloc(size, 97));
/** `opened`: streams that this side has opened before; `events` as kind:stream[:size]. */
const bulkVector = (name, role, opened, frames, events, violation) => ({
  name,
  role,
  opened,
  base64: Buffer.concat(frames).toString("base64"),
  events,
  violation,
});
const KB64 = 65536;
const bulk = [
  bulkVector(
    "accepts data, credit, end",
    "opener",
    1,
    [data(1, 3), bulkFrame(FIN, 1, 0)],
    ["data:1:3", "fin:1"],
    null,
  ),
  bulkVector(
    "accepts OPEN by the opener",
    "acceptor",
    0,
    [bulkFrame(OPEN, 1, 0), bulkFrame(OPEN, 2, 0)],
    ["open:1", "open:2"],
    null,
  ),
  bulkVector(
    "accepts exactly the credit",
    "opener",
    1,
    Array(4).fill(data(1, KB64)),
    ["data:1:262144"],
    null,
  ),
  bulkVector(
    "accepts RST and wants an answer",
    "opener",
    1,
    [bulkFrame(RST, 1, 4, number(1))],
    ["rst:1:answer"],
    null,
  ),
  bulkVector(
    "ignores RST of a stream that is over",
    "opener",
    1,
    [bulkFrame(RST, 1, 4, number(1)), bulkFrame(RST, 1, 4, number(1))],
    ["rst:1:answer"],
    null,
  ),
  bulkVector(
    "ignores WINDOW of a stream that is over",
    "opener",
    1,
    [bulkFrame(RST, 1, 4, number(1)), bulkFrame(WINDOW, 1, 4, number(5))],
    ["rst:1:answer"],
    null,
  ),
  bulkVector(
    "refuses a byte over the credit",
    "opener",
    1,
    [...Array(4).fill(data(1, KB64)), data(1, 1)],
    ["data:1:262144"],
    "credit-exceeded",
  ),
  bulkVector(
    "refuses a frame over 64 KiB",
    "opener",
    1,
    [bulkFrame(DATA, 1, KB64 + 1)],
    [],
    "bulk-length",
  ),
  bulkVector("refuses empty DATA", "opener", 1, [bulkFrame(DATA, 1, 0)], [], "bulk-length"),
  bulkVector(
    "refuses DATA on a stream never opened",
    "opener",
    1,
    [data(2, 1)],
    [],
    "unknown-stream",
  ),
  bulkVector("refuses stream 0", "opener", 1, [data(0, 1)], [], "unknown-stream"),
  bulkVector(
    "refuses DATA after FIN",
    "opener",
    1,
    [bulkFrame(FIN, 1, 0), data(1, 1)],
    ["fin:1"],
    "after-fin",
  ),
  bulkVector(
    "refuses FIN after FIN",
    "opener",
    1,
    [bulkFrame(FIN, 1, 0), bulkFrame(FIN, 1, 0)],
    ["fin:1"],
    "after-fin",
  ),
  bulkVector(
    "refuses DATA after RST",
    "opener",
    1,
    [bulkFrame(RST, 1, 4, number(1)), data(1, 1)],
    ["rst:1:answer"],
    "after-fin",
  ),
  bulkVector("refuses FIN with a length", "opener", 1, [bulkFrame(FIN, 1, 1)], [], "bulk-length"),
  bulkVector(
    "refuses OPEN by the acceptor",
    "opener",
    1,
    [bulkFrame(OPEN, 2, 0)],
    [],
    "open-refused",
  ),
  bulkVector(
    "refuses OPEN of a used number",
    "acceptor",
    0,
    [bulkFrame(OPEN, 1, 0), bulkFrame(OPEN, 1, 0)],
    ["open:1"],
    "stream-order",
  ),
  bulkVector(
    "refuses OPEN that skips a number",
    "acceptor",
    0,
    [bulkFrame(OPEN, 2, 0)],
    [],
    "stream-order",
  ),
  bulkVector(
    "refuses a 65th open stream",
    "acceptor",
    0,
    Array.from({ length: 65 }, (_, i) => bulkFrame(OPEN, i + 1, 0)),
    Array.from({ length: 64 }, (_, i) => `open:${i + 1}`),
    "too-many-streams",
  ),
  bulkVector(
    "refuses credit over the window",
    "opener",
    1,
    [bulkFrame(WINDOW, 1, 4, number(1))],
    [],
    "window-overflow",
  ),
  bulkVector(
    "refuses empty credit",
    "opener",
    1,
    [bulkFrame(WINDOW, 1, 4, number(0))],
    [],
    "window-overflow",
  ),
  bulkVector(
    "refuses credit for a stream never opened",
    "opener",
    1,
    [bulkFrame(WINDOW, 2, 4, number(1))],
    [],
    "unknown-stream",
  ),
  bulkVector(
    "refuses WINDOW of another length",
    "opener",
    1,
    [bulkFrame(WINDOW, 1, 8)],
    [],
    "bulk-length",
  ),
  bulkVector("refuses an unknown type", "opener", 1, [bulkFrame(9, 1, 0)], [], "bulk-type"),
  bulkVector("refuses type 0", "opener", 1, [bulkFrame(0, 1, 0)], [], "bulk-type"),
  bulkVector("refuses a cut header", "opener", 1, [Buffer.from([DATA, 0])], [], "truncated"),
  bulkVector(
    "refuses a cut frame",
    "opener",
    1,
    [bulkFrame(DATA, 1, 5, Buffer.from("ab"))],
    ["data:1:2"],
    "truncated",
  ),
];

const write = (name, vectors) =>
  writeFileSync(new URL(name, import.meta.url), `${JSON.stringify(vectors, null, 2)}\n`);
write("control.json", control);
write("bulk.json", bulk);
