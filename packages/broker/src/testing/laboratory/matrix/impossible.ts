import type { Route, Technique } from "./model.js";

/** Technique and route that don't go together, and why. */
export interface Impossible {
  readonly technique: Technique;
  readonly route: Route;
  readonly because: string;
}

const NO_CONNECTION = "there is no connection that could be used again";
const NO_REDIRECT = "the protocol knows no redirect";
const NO_UPGRADE = "no HTTP upgrade to it is defined";
const ALIAS =
  "an alias is one, and only the broker's resolver ever gets an answer: see DNS answers";

export const IMPOSSIBLE: readonly Impossible[] = [
  { technique: "tcp", route: "redirect", because: NO_REDIRECT },
  { technique: "udp", route: "redirect", because: NO_REDIRECT },
  { technique: "udp", route: "reuse", because: NO_CONNECTION },
  { technique: "dns-udp", route: "redirect", because: ALIAS },
  { technique: "dns-udp", route: "reuse", because: NO_CONNECTION },
  { technique: "dns-tcp", route: "redirect", because: ALIAS },
  { technique: "dns-tcp", route: "upgrade", because: NO_UPGRADE },
  { technique: "dns-tls", route: "redirect", because: ALIAS },
  { technique: "dns-tls", route: "upgrade", because: NO_UPGRADE },
  { technique: "ntp", route: "redirect", because: NO_REDIRECT },
  { technique: "ntp", route: "reuse", because: NO_CONNECTION },
  {
    technique: "icmp",
    route: "relayed",
    because: "the door takes TCP only, and a ping of the guest's own loopback doesn't leave it",
  },
  {
    technique: "icmp",
    route: "redirect",
    because: "an ICMP redirect changes a route, and there is no interface to route to",
  },
  { technique: "icmp", route: "reuse", because: NO_CONNECTION },
];
