import { Buffer } from "node:buffer";
import type { Reason } from "../../../decision/index.js";
import {
  A,
  AAAA,
  a,
  aaaa,
  cname,
  NXDOMAIN,
  pointer,
  QUESTION_NAME,
  REFUSED,
  type RecordSpec,
  response,
  SERVFAIL,
} from "../../dns-message.js";
import { type DnsQuery, type DnsReply, SILENCE, send } from "../../dns-server.js";
import { OPAQUE } from "../places.js";
import type { Expectation } from "./model.js";

/** What the resolver answers to a look-up of the granted name. */
export interface AnswerCell {
  readonly name: string;
  readonly script: (query: DnsQuery) => DnsReply;
  readonly expected: Expectation;
  /** What it answered before, when the name was looked up and reached. */
  readonly before?: AnswerCell["script"];
  /** That was just now, and not an hour ago. */
  readonly atOnce?: true;
  /** Nothing comes that the resolver's client could take for its answer. */
  readonly unanswered?: true;
}

const { v4, v6 } = OPAQUE;
const TARGET = "elsewhere.example";

/** Answers with these where a query of their type asks; a name has to be the query's or given. */
const having =
  (records: (query: DnsQuery) => readonly RecordSpec[], over: { readonly flags?: number } = {}) =>
  (query: DnsQuery): DnsReply =>
    send(
      response(query, {
        ...over,
        answers: records(query).filter(({ type }) => type !== A + AAAA - query.type),
      }),
    );

const addresses = (...texts: readonly string[]) =>
  having(({ name }) =>
    texts.map((text) => (text.includes(":") ? aaaa(name, text) : a(name, text))),
  );

const refused = (name: string, reason: Reason, script: AnswerCell["script"]): AnswerCell => ({
  name,
  script,
  expected: { reason, reach: "resolver" },
});

const unanswered = (...cell: Parameters<typeof refused>): AnswerCell => ({
  ...refused(...cell),
  unanswered: true,
});

const special = (name: string, ...texts: readonly string[]): AnswerCell =>
  refused(name, "ADDRESS_NOT_GLOBAL", addresses(...texts));

/** The right answer, made wrong in one place. */
const wrong = (change: Parameters<typeof response>[1]) => (query: DnsQuery) =>
  send(response(query, { answers: query.type === A ? [a(query.name, v4)] : [], ...change }));

export const ANSWER_CELLS: readonly AnswerCell[] = [
  special("loopback", "127.0.0.1"),
  special("loopback, IPv6", "::1"),
  special("unspecified", "0.0.0.0"),
  special("private, 10/8", "10.0.0.1"),
  special("private, 172.16/12", "172.31.255.255"),
  special("private, 192.168/16", "192.168.0.1"),
  special("shared, 100.64/10", "100.64.0.1"),
  special("link-local, cloud metadata", "169.254.169.254"),
  special("cloud metadata outside the registries", "168.63.129.16"),
  special("cloud metadata in shared space", "100.100.100.200"),
  special("cloud metadata, IPv6", "fd00:ec2::254"),
  special("benchmarking", "198.18.0.1"),
  special("documentation", "192.0.2.1"),
  special("reserved", "240.0.0.1"),
  special("broadcast", "255.255.255.255"),
  special("multicast", "224.0.0.251"),
  special("multicast, IPv6", "ff02::1"),
  special("unique local", "fc00::1"),
  special("link-local, IPv6", "fe80::1"),
  special("site-local", "fec0::1"),
  special("mapped", "::ffff:a00:1"),
  special("mapped, of a global address", "::ffff:5db8:d822"),
  special("compatible", "::7f00:1"),
  special("NAT64, of a private address", "64:ff9b::a00:1"),
  special("NAT64, local prefix", "64:ff9b:1::a00:1"),
  special("6to4, of loopback", "2002:7f00:1::1"),
  special("Teredo", "2001:0:4136:e378:8000:63bf:3fff:fdd2"),
  special("ISATAP, of a private address", "2606:2800:220:1:0:5efe:a00:1"),
  special("documentation, IPv6", "2001:db8::1"),
  special("a global one, then a private one", v4, "10.0.0.1"),
  special("a private one, then a global one", "10.0.0.1", v4),
  special("a global one, and loopback in IPv6", v4, "::1"),
  special("loopback, and a global one in IPv6", "127.0.0.1", v6),
  refused(
    "an alias of something private",
    "ADDRESS_NOT_GLOBAL",
    having(({ name }) => [cname(name, TARGET), a(TARGET, "10.0.0.1")]),
  ),
  { ...special("another one than an hour before", "127.0.0.1"), before: addresses(v4, v6) },
  {
    ...special("another one than just before, which wasn't to be kept", "127.0.0.1"),
    before: having(({ name }) => [{ ...a(name, v4), ttl: 0 }, aaaa(name, v6)]),
    atOnce: true,
  },
  {
    ...special("another one than just before, by an alias that wasn't to be kept", "127.0.0.1"),
    before: having(({ name }) => [{ ...cname(name, TARGET), ttl: 0 }, a(TARGET, v4)]),
    atOnce: true,
  },
  refused("no such name", "DNS_NO_NAME", wrong({ answers: [], rcode: NXDOMAIN })),
  refused("a server that failed", "DNS_FAILED", wrong({ answers: [], rcode: SERVFAIL })),
  refused("a server that refuses", "DNS_FAILED", wrong({ answers: [], rcode: REFUSED })),
  refused("no address", "DNS_EMPTY", wrong({ answers: [] })),
  unanswered("none at all", "DNS_TIMEOUT", () => SILENCE),
  unanswered("none for IPv6", "DNS_TIMEOUT", (query) =>
    query.type === A ? addresses(v4)(query) : SILENCE,
  ),
  unanswered("another question's id", "DNS_MALFORMED", (query) =>
    wrong({ question: { id: query.id ^ 1 } })(query),
  ),
  unanswered("the question in another case", "DNS_MALFORMED", (query) => {
    const name = query.name === query.host ? query.host.toUpperCase() : query.host;
    return wrong({ question: { name } })(query);
  }),
  unanswered("from another port", "DNS_TIMEOUT", (query) => ({
    kind: "send",
    messages: [response(query, { answers: [a(query.name, v4)] })],
    fromElsewhere: true,
  })),
  refused("an address of another name", "DNS_MALFORMED", wrong({ answers: [a(TARGET, v4)] })),
  refused(
    "aliases in a circle",
    "DNS_MALFORMED",
    having(({ name }) => [cname(name, TARGET), cname(TARGET, name)]),
  ),
  refused(
    "a chain of aliases",
    "DNS_TOO_MANY",
    having(({ name }) => [
      ...Array.from({ length: 10 }, (_, at) =>
        cname(at === 0 ? name : `c${at}.example`, `c${at + 1}.example`),
      ),
      a("c10.example", v4),
    ]),
  ),
  refused(
    "a name whose compression loops",
    "DNS_MALFORMED",
    // Its owner is a pointer to itself: right behind header, name, type and class.
    having(({ name }) => [{ ...a(name, v4), owner: pointer(12 + name.length + 2 + 4) }]),
  ),
  refused(
    "an address of five bytes",
    "DNS_MALFORMED",
    having(() => [{ owner: QUESTION_NAME, type: A, data: Buffer.of(93, 184, 216, 34, 0) }]),
  ),
  refused(
    "a flood of addresses",
    "DNS_TOO_MANY",
    having(() =>
      Array.from({ length: 33 }, (_, at) => ({ ...a(QUESTION_NAME, `93.184.216.${at}`) })),
    ),
  ),
  unanswered("truncated, and a hung TCP", "DNS_TIMEOUT", (query) =>
    query.over === "udp" ? send(response(query, { flags: 0x0200 })) : SILENCE,
  ),
  refused("bytes behind its end", "DNS_MALFORMED", wrong({ trailing: Buffer.alloc(8) })),
];
