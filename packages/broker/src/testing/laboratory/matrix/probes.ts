import type { Reason } from "../../../decision/index.js";
import { octets } from "../client.js";
import { WEB } from "../places.js";
import { spellingCells } from "./cells.js";
import type { Route, Technique } from "./model.js";
import { granted, requestFor } from "./request.js";

/**
 * Something that a program in a guest tries; `guest.py` does it. Run outside of the guest, a
 * `plain` one gets through, which is its control; the control of the others is what is granted,
 * said in the same way.
 */
export interface Probe {
  readonly technique: Technique;
  readonly route: Route;
  readonly variant: string;
  /**
   * `plain`: past the broker. `name`: by the guest's own resolver. `door`: said to the broker.
   * `relay`: said to a proxy in the guest, which hands it to the broker. `datagram`: sent to the
   * broker's address.
   */
  readonly how: "plain" | "name" | "door" | "relay" | "datagram";
  readonly target?: string;
  readonly port?: number;
  /** Said before, and answered: a granted page. */
  readonly first?: string;
  readonly octets?: string;
  /** What the broker has to answer; null where nobody is there to answer. */
  readonly reason: Reason | null;
}

type Plain = Exclude<Technique, "connect" | "absolute">;

/** Where something may be that a guest could reach: on the internet, on the host, beside it. */
const TARGETS = {
  "an address on the internet": "93.184.216.34",
  "an address on the internet, IPv6": "2606:2800:220:1:248:1893:25c8:1946",
  "an address on the internet, mapped": "::ffff:93.184.216.34",
  "an address behind NAT64": "64:ff9b::5db8:d822",
  "a public name server": "8.8.8.8",
  "the policy's resolver": "9.9.9.9",
  "cloud metadata": "169.254.169.254",
  "cloud metadata, IPv6": "fd00:ec2::254",
  "the host of QEMU's user network": "10.0.2.2",
  "the name server of QEMU's user network": "10.0.2.3",
  "a container's host": "172.17.0.1",
  "a neighbour": "192.168.0.1",
} as const;

const PORTS: Readonly<Record<Plain, number>> = {
  tcp: 9000,
  udp: 9000,
  "dns-udp": 53,
  "dns-tcp": 53,
  "dns-tls": 853,
  "dns-https": 443,
  ntp: 123,
  icmp: 0,
};
const PLAIN = Object.keys(PORTS) as readonly Plain[];

/** ICMP knows no mapped addresses: what would be sent there is ICMP for IPv4, which is tried. */
const isSent = (technique: Plain, target: string): boolean =>
  technique !== "icmp" || !target.startsWith("::ffff:");

/** Past the broker, though no interface leads anywhere. */
export const PLAIN_PROBES: readonly Probe[] = PLAIN.flatMap((technique) =>
  Object.entries(TARGETS)
    .filter(([, target]) => isSent(technique, target))
    .map(([variant, target]) => ({
      ...{ technique, route: "direct", variant, how: "plain", target },
      port: PORTS[technique],
      reason: null,
    })),
);

/** By the guest's own resolver, which has nobody to ask. */
export const NAME_PROBES: readonly Probe[] = [WEB.host, "dns.example", "localhost.example"].map(
  (target) => ({
    ...{ technique: "dns-udp", route: "direct", variant: `the guest's resolver, ${target}` },
    ...{ how: "name", target, port: 443, reason: null },
  }),
);

const BY_ROUTE = { direct: "door", relayed: "relay" } as const;

const spelled = (refused: boolean): readonly Probe[] =>
  (["connect", "absolute"] as const).flatMap((technique) =>
    (["direct", "relayed"] as const).flatMap((route) =>
      spellingCells(technique, route)
        .filter(({ expected }) => (expected.reason !== null) === refused)
        .map(({ spelling, expected }) => ({
          ...{
            technique,
            route,
            variant: `${spelling.kind}: ${spelling.name}`,
            how: BY_ROUTE[route],
          },
          octets: requestFor(technique, octets(spelling.authority)),
          reason: expected.reason,
        })),
    ),
  );

const PAGE = requestFor("absolute", granted("absolute"));
const HELLO = "\x16\x03\x01\0\x05\x01\0\0\x01\0\r\n\r\n";
const DNS = "\0\x1d\x124\x01\0\0\x01\0\0\0\0\0\0\x07example\x03com\0\0\x01\0\x01\r\n\r\n";
const NTP = `\x23${"\0".repeat(47)}`;

const said = (
  technique: Technique,
  route: Route,
  variant: string,
  text: string,
  reason: Reason,
): Probe => ({ technique, route, variant, how: "door", octets: text, reason });

const connect = (authority: string): string => requestFor("connect", authority);
const get = (url: string, ...fields: readonly string[]): string =>
  `${[`GET ${url} HTTP/1.1`, `Host: ${new URL(url).host}`, ...fields].join("\r\n")}\r\n\r\n`;
const upgrade = (protocol: string): readonly string[] => [
  `Connection: Upgrade`,
  `Upgrade: ${protocol}`,
];

/** Protocols other than HTTP, handed to the only door there is. */
const handed: readonly Probe[] = [
  said("tcp", "relayed", "its bytes", "ping\r\n\r\n", "REQUEST_SYNTAX"),
  said("tcp", "relayed", "CONNECT to an address", connect("93.184.216.34:9000"), "IP_LITERAL"),
  said("tcp", "relayed", "CONNECT to the guest's host", connect("127.0.0.1:22"), "IP_LITERAL"),
  said("dns-tcp", "relayed", "its bytes", DNS, "REQUEST_SYNTAX"),
  said("dns-tcp", "relayed", "CONNECT to an address", connect("8.8.8.8:53"), "IP_LITERAL"),
  said(
    "dns-tcp",
    "relayed",
    "CONNECT to the policy's resolver",
    connect("9.9.9.9:53"),
    "IP_LITERAL",
  ),
  said(
    "dns-tcp",
    "relayed",
    "CONNECT to a name",
    connect("dns.example:53"),
    "AUTHORITY_NOT_GRANTED",
  ),
  said(
    "dns-tcp",
    "relayed",
    "CONNECT to a granted name",
    connect("api.example.com:53"),
    "PORT_NOT_GRANTED",
  ),
  said("dns-tls", "relayed", "its bytes", HELLO, "REQUEST_SYNTAX"),
  said(
    "dns-tls",
    "relayed",
    "CONNECT to a name",
    connect("dns.example:853"),
    "AUTHORITY_NOT_GRANTED",
  ),
  said(
    "dns-tls",
    "relayed",
    "CONNECT to a granted name",
    connect("api.example.com:853"),
    "PORT_NOT_GRANTED",
  ),
  said(
    "dns-https",
    "relayed",
    "CONNECT to a name",
    connect("dns.example:443"),
    "AUTHORITY_NOT_GRANTED",
  ),
  said("dns-https", "relayed", "CONNECT to an address", connect("8.8.8.8:443"), "IP_LITERAL"),
  said(
    "dns-https",
    "relayed",
    "a request",
    get("https://dns.example/dns-query?dns=AAAA"),
    "METHOD",
  ),
  said(
    "dns-https",
    "relayed",
    "without TLS",
    get("http://dns.example/dns-query?dns=AAAA"),
    "AUTHORITY_NOT_GRANTED",
  ),
  ...(["udp", "dns-udp", "ntp"] as const).map((technique) => ({
    ...({
      technique,
      route: "relayed",
      variant: "a datagram to the door",
      how: "datagram",
    } as const),
    octets: technique === "ntp" ? NTP : DNS,
    reason: null,
  })),
  said(
    "udp",
    "relayed",
    "CONNECT to its port",
    connect("api.example.com:9001"),
    "PORT_NOT_GRANTED",
  ),
  said(
    "ntp",
    "relayed",
    "CONNECT to its port",
    connect("time.example:123"),
    "AUTHORITY_NOT_GRANTED",
  ),
  said("ntp", "relayed", "CONNECT to NTS", connect("time.example:4460"), "AUTHORITY_NOT_GRANTED"),
];

const MASQUE = "http://masque.example/.well-known/masque";

/** Requests to change to a protocol that carries what HTTP doesn't. */
const upgraded: readonly Probe[] = [
  said(
    "tcp",
    "upgrade",
    "a WebSocket",
    get("http://ws.example/", ...upgrade("websocket")),
    "AUTHORITY_NOT_GRANTED",
  ),
  said(
    "udp",
    "upgrade",
    "CONNECT-UDP",
    get(`${MASQUE}/udp/8.8.8.8/9000/`, ...upgrade("connect-udp")),
    "AUTHORITY_NOT_GRANTED",
  ),
  said(
    "dns-udp",
    "upgrade",
    "CONNECT-UDP",
    get(`${MASQUE}/udp/8.8.8.8/53/`, ...upgrade("connect-udp")),
    "AUTHORITY_NOT_GRANTED",
  ),
  said(
    "ntp",
    "upgrade",
    "CONNECT-UDP",
    get(`${MASQUE}/udp/8.8.8.8/123/`, ...upgrade("connect-udp")),
    "AUTHORITY_NOT_GRANTED",
  ),
  said(
    "icmp",
    "upgrade",
    "CONNECT-IP",
    get(`${MASQUE}/ip/8.8.8.8/1/`, ...upgrade("connect-ip")),
    "AUTHORITY_NOT_GRANTED",
  ),
  said(
    "dns-https",
    "upgrade",
    "h2c",
    get("http://dns.example/dns-query?dns=AAAA", ...upgrade("h2c")),
    "AUTHORITY_NOT_GRANTED",
  ),
];

/** None of these may send a single packet. */
export const SILENT_PROBES: readonly Probe[] = [
  ...PLAIN_PROBES,
  ...NAME_PROBES,
  ...spelled(true),
  ...handed,
  ...upgraded,
];

/** Behind a granted page, on its connection or where it leads: packets go to the granted place alone. */
export const BEHIND_A_PAGE: readonly Probe[] = [
  said("tcp", "reuse", "its bytes", "ping\r\n\r\n", "REQUEST_SYNTAX"),
  said("dns-tcp", "reuse", "its bytes", DNS, "REQUEST_SYNTAX"),
  said("dns-tls", "reuse", "its bytes", HELLO, "REQUEST_SYNTAX"),
  said(
    "dns-https",
    "reuse",
    "without TLS",
    get("http://dns.example/dns-query?dns=AAAA"),
    "AUTHORITY_NOT_GRANTED",
  ),
  said(
    "dns-https",
    "redirect",
    "where a page leads",
    get("http://dns.example/dns-query?dns=AAAA"),
    "AUTHORITY_NOT_GRANTED",
  ),
].map((probe) => ({ ...probe, first: PAGE }));

/** What is granted, in each way that the refused ones were said. */
export const GRANTED_PROBES: readonly Probe[] = [
  ...spelled(false),
  said(
    "absolute",
    "upgrade",
    "to the granted page",
    get(`http://${granted("absolute")}/here`, ...upgrade("connect-udp")),
    "CLOSED",
  ),
].map((probe) => ({ ...probe, reason: null }));
