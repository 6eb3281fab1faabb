import type { Reason } from "../../../decision/index.js";

/** How something tries to get out. */
export const TECHNIQUES = {
  connect: "CONNECT",
  absolute: "absolute-form",
  tcp: "raw TCP",
  udp: "UDP",
  "dns-udp": "DNS over UDP",
  "dns-tcp": "DNS over TCP",
  "dns-tls": "DNS over TLS",
  "dns-https": "DNS over HTTPS",
  ntp: "NTP",
  icmp: "ICMP",
} as const;
export type Technique = keyof typeof TECHNIQUES;

/** On which way it comes to be tried. */
export const ROUTES = {
  direct: "direct",
  relayed: "relayed inside the guest",
  redirect: "redirect",
  reuse: "keep-alive reuse",
  upgrade: "upgrade",
} as const;
export type Route = keyof typeof ROUTES;

/** Those that a client of the broker can take without a guest. */
export const BROKER_ROUTES = ["direct", "redirect", "reuse", "upgrade"] as const;
export type BrokerRoute = (typeof BROKER_ROUTES)[number];

/**
 * How far out it got, as the packets say. `resolver`: queries to the policy's resolver alone.
 * `handshake`: packets elsewhere, none of them with a payload. `service`: a payload.
 */
export const REACHES = ["nothing", "resolver", "handshake", "service"] as const;
export type Reach = (typeof REACHES)[number];

/** What a cell expects; no reason means that it passes. */
export interface Expectation {
  readonly reason: Reason | null;
  readonly reach: Reach;
}

/** In what a cell and its control differ. */
export const VARIANT_KINDS = {
  address: "an address, spelled otherwise, where the granted name was",
  name: "another name, or another spelling of the granted one",
  port: "another port, or another spelling of the granted one",
  head: "another request head",
  hello: "another first flight in the tunnel",
  request: "another request in a tunnel whose TLS is terminated",
  answer: "another DNS answer",
  bound: "one more than a limit allows",
  target: "where it is sent from: inside the guest",
} as const;
export type VariantKind = keyof typeof VARIANT_KINDS;
