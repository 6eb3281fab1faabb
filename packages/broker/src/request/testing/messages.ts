import fc from "fast-check";

/** Mostly what a sender should write, sometimes what parsers have been known to disagree about. */
const usually = (usual: readonly string[], odd: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...usual) },
    { weight: 1, arbitrary: fc.constantFrom(...odd) },
  );

const LINE_END = usually(["\r\n"], ["\n", "\r", "\r\r\n", "\r\n ", ""]);
const SPACE = usually([" "], ["  ", "\t", "", "\r\n ", "\xa0"]);

const METHOD = usually(
  ["GET", "POST", "POST", "PUT", "DELETE", "HEAD"],
  ["get", "TRACE", "PRI", "", "GE T", "POST\0", "OPTIONS"],
);

const TARGET = usually(
  ["http://a.example/x?y", "http://A.example", "http://a.example:80/%7e"],
  [
    "/x",
    "*",
    "a.example:443",
    "http://127.1/",
    "http://a.example/../x",
    "http://u@a.example/",
    "http://a.example:8080/",
    "https://a.example/",
    "http://b.example/#x",
    "",
  ],
);
const TUNNEL = usually(
  ["a.example:443", "A.example.:443"],
  [
    "127.0.0.1:443",
    "a.example:0443",
    "a.example",
    "http://a.example/",
    "b.example:443",
    "[::1]:443",
  ],
);
const VERSION = usually(["HTTP/1.1"], ["HTTP/1.0", "HTTP/0.9", "HTTP/2.0", "http/1.1", ""]);
const STATUS = usually(
  ["200 OK", "200 OK", "404 ", "500 Internal Server Error"],
  ["204 X", "304 X", "200", "101 X", "100 Continue", "99 X", "600 X", "0200 OK"],
);

const FRAMING_FIELD = usually(
  ["Content-Length: 3", "Transfer-Encoding: chunked"],
  [
    "Content-Length: 03",
    "Content-Length: +3",
    "Content-Length: 3, 3",
    "Content-Length: 0",
    "Content-Length : 3",
    "Content-Length:\x0b3",
    "Content-Length: 18446744073709551619",
    "Transfer-Encoding: Chunked",
    "Transfer-Encoding: xchunked",
    "Transfer-Encoding: chunked, identity",
    "Transfer-Encoding: gzip, chunked",
    "Transfer-Encoding:\x0bchunked",
    "Transfer-Encoding: identity",
    "Transfer-Encoding",
    "TRANSFER-ENCODING: chunked",
  ],
);
const HOST_FIELD = usually(
  ["Host: a.example"],
  [
    "Host: b.example",
    "Host: a.example:443",
    "Host: a.example:80",
    "Host:",
    "Host : a.example",
    "X: 1",
  ],
);
const OTHER_FIELD = usually(
  ["X: y", "Accept: */*", "Expect: 100-continue", "X-Empty:", "Via:\t1.1 x\t"],
  [
    " folded",
    "\tfolded",
    ": no-name",
    "X\0: y",
    "X: \0",
    "X: \x01",
    "X: \xff",
    "\xff: y",
    "Connection: close",
    "Connection: host",
    "Connection: upgrade",
    "Upgrade: h2c",
    "no colon",
    "X y: z",
    "Set-Cookie: a\rb",
  ],
);

const fields = (framings: number): fc.Arbitrary<readonly string[]> =>
  fc
    .tuple(
      fc.array(HOST_FIELD, { minLength: 1, maxLength: 1 }),
      fc.oneof(
        { weight: 6, arbitrary: fc.array(FRAMING_FIELD, { maxLength: framings }) },
        { weight: 1, arbitrary: fc.array(FRAMING_FIELD, { minLength: 1, maxLength: 2 }) },
      ),
      fc.array(OTHER_FIELD, { maxLength: 2 }),
    )
    .chain((groups) => fc.shuffledSubarray(groups.flat(), { minLength: groups.flat().length }));

const CONTENT = usually(
  ["", "abc", "3\r\nabc\r\n0\r\n\r\n", "1;x=y\r\na\r\n2\r\nbc\r\n0\r\nT: u\r\n\r\n"],
  [
    "ab",
    "3\nabc\n0\n\n",
    "3 \r\nabc\r\n0\r\n\r\n",
    "3;\nx\r\nabc\r\n0\r\n\r\n",
    "0x3\r\nabc\r\n0\r\n\r\n",
    "3\r\nabcd\r\n0\r\n\r\n",
    "3\r\nabc0\r\n\r\n",
    "+3\r\nabc\r\n0\r\n\r\n",
    "10000000000000003\r\nabc\r\n0\r\n\r\n",
    "3\r\nabc\r\n0\r\nX : y\r\n\r\n",
    "3\r\nabc\r\n0\r\n",
    "3\r\nabc\r\n00\r\n\r\n",
  ],
);

/** Changes to single bytes, at most two, mostly none. */
const MUTATIONS = fc.oneof(
  { weight: 3, arbitrary: fc.constant([]) },
  {
    weight: 1,
    arbitrary: fc.array(
      fc.tuple(
        fc.nat(400),
        fc.constantFrom("", "\0", "\r", "\n", " ", ":", "\x7f", "\x80", "a", "0", ","),
      ),
      { minLength: 1, maxLength: 2 },
    ),
  },
);

const mutated = (text: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(text, MUTATIONS)
    .map(([original, mutations]) =>
      mutations.reduce(
        (result, [at, put]) =>
          at < result.length ? result.slice(0, at) + put + result.slice(at + 1) : result,
        original,
      ),
    );

const message = (startLine: fc.Arbitrary<string>, framings: number): fc.Arbitrary<string> =>
  mutated(
    fc
      .tuple(startLine, fields(framings))
      .chain(([line, lines]) =>
        fc
          .tuple(
            fc.array(LINE_END, { minLength: lines.length + 2, maxLength: lines.length + 2 }),
            CONTENT,
          )
          .map(
            ([ends, content]) =>
              [line, ...lines, ""].map((text, index) => `${text}${ends[index]}`).join("") + content,
          ),
      ),
  );

const joined = (...parts: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.tuple(...parts).map((texts) => texts.join(""));

/** A request and content, as octets in a string. */
export const requests: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: message(joined(METHOD, SPACE, TARGET, SPACE, VERSION), 1) },
  {
    weight: 1,
    arbitrary: message(joined(fc.constant("CONNECT"), SPACE, TUNNEL, SPACE, VERSION), 0),
  },
);

/** A response and content. */
export const responses: fc.Arbitrary<string> = message(joined(VERSION, SPACE, STATUS), 1);

/** Octets of any kind, and chunked content that went wrong. */
export const contents: fc.Arbitrary<string> = mutated(
  fc.oneof(
    CONTENT,
    fc.string({ unit: fc.constantFrom(...'012aAfg;="\\x\r\n\r\n \t\0'), maxLength: 60 }),
  ),
);

/** Where the pieces of a segmentation end. */
export const cuts: fc.Arbitrary<readonly number[]> = fc.oneof(
  fc.array(fc.nat(300), { maxLength: 8 }),
  fc.constant(Array.from({ length: 400 }, (_, index) => index)),
);
