/** Bytes of TLS messages, right or wrong, for tests. */
const u16 = (value: number): readonly number[] => [(value >> 8) & 0xff, value & 0xff];
const u24 = (value: number): readonly number[] => [(value >> 16) & 0xff, ...u16(value)];
const vec16 = (bytes: readonly number[]): readonly number[] => [...u16(bytes.length), ...bytes];

export interface Extension {
  readonly type: number;
  readonly body: readonly number[];
}

export const nameEntry = (name: string | readonly number[], type = 0): readonly number[] => [
  type,
  ...vec16(typeof name === "string" ? [...Buffer.from(name, "latin1")] : name),
];

export const serverName = (...entries: readonly (readonly number[])[]): Extension => ({
  type: 0,
  body: vec16(entries.flat()),
});

export const sni = (name: string): Extension => serverName(nameEntry(name));
export const filler = (type: number, length: number): Extension => ({
  type,
  body: Array.from({ length }, (_, at) => at & 0xff),
});

/** key_share with one share of this length: X25519MLKEM768 has 1,216 bytes (0x11ec). */
export const keyShare = (length = 1216): Extension => ({
  type: 51,
  body: vec16([...u16(0x11ec), ...vec16(Array.from({ length }, () => 7))]),
});

export interface HelloFields {
  readonly version?: number;
  readonly random?: readonly number[];
  readonly sessionId?: readonly number[];
  readonly suites?: readonly number[];
  readonly compression?: readonly number[];
  readonly extensions?: readonly Extension[] | null;
  /** Behind the last field, within the message's length. */
  readonly after?: readonly number[];
}

/** The body of a ClientHello. */
export const helloBody = (fields: HelloFields = {}): readonly number[] => {
  const {
    version = 0x0303,
    random = Array.from({ length: 32 }, (_, at) => at),
    sessionId = Array.from({ length: 32 }, () => 9),
    suites = [0x13, 0x01, 0x13, 0x02],
    compression = [0],
    extensions = [sni("api.example.com")],
    after = [],
  } = fields;
  const list =
    extensions === null
      ? []
      : vec16(extensions.flatMap(({ type, body }) => [...u16(type), ...vec16(body)]));
  return [
    ...u16(version),
    ...random,
    ...[sessionId.length, ...sessionId],
    ...vec16(suites),
    ...[compression.length, ...compression],
    ...list,
    ...after,
  ];
};

export const message = (type: number, body: readonly number[]): readonly number[] => [
  type,
  ...u24(body.length),
  ...body,
];

export const record = (type: number, fragment: readonly number[], version = 0x0301): Buffer =>
  Buffer.from([type, ...u16(version), ...u16(fragment.length), ...fragment]);

/** A ClientHello in one record, or in records of these many bytes, the last with what is left. */
export const clientHello = (fields: HelloFields = {}, sizes: readonly number[] = []): Buffer =>
  records(message(1, helloBody(fields)), sizes);

export const records = (bytes: readonly number[], sizes: readonly number[] = []): Buffer => {
  const parts: Buffer[] = [];
  let at = 0;
  for (const size of sizes) {
    if (at >= bytes.length) break;
    parts.push(record(22, bytes.slice(at, at + size)));
    at += size;
  }
  for (; at < bytes.length; at += 16_384) parts.push(record(22, bytes.slice(at, at + 16_384)));
  return Buffer.concat(parts);
};

/** A server's first message; a HelloRetryRequest has the random of RFC 8446 §4.1.3. */
export const serverHello = (retry: boolean): Buffer => {
  const random = retry
    ? [...Buffer.from("cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c", "hex")]
    : Array.from({ length: 32 }, (_, at) => at);
  return records(message(2, [...u16(0x0303), ...random, 0, 0x13, 0x01, 0, ...u16(0)]));
};
