import type { Duplex } from "node:stream";
import type { Authority } from "../authority/authority.js";
import type { EgressGrant } from "../policy/model.js";
import type { Inspection } from "../secret/index.js";
import type { Timers } from "../timers.js";
import type { RunCa } from "./ca.js";
import type { TerminateEvent, TerminateLimits, Termination } from "./model.js";
import { terminate } from "./terminate.js";

export interface TerminatorOptions {
  readonly ca: RunCa;
  readonly inspections: (authority: Authority) => Inspection;
  /** PEM certificates that are trusted besides Node's roots. */
  readonly upstreamRoots: readonly string[];
  readonly limits: TerminateLimits;
  readonly timers: Timers;
}

export interface TerminateSession {
  readonly grant: EgressGrant;
  readonly upstream: Duplex;
  readonly hello: { readonly bytes: Uint8Array; readonly alpn: readonly string[] | null };
  readonly onEvent: (event: TerminateEvent) => boolean;
  readonly onBytes: (direction: "up" | "down", count: number) => void;
}

/** Termination as the broker's service asks for it: the run's part is known, the tunnel's isn't. */
export const createTerminator =
  ({ inspections, ...run }: TerminatorOptions) =>
  (client: Duplex, { grant, ...session }: TerminateSession): Termination =>
    terminate(client, {
      ...run,
      ...session,
      authority: grant.authority,
      requests: grant.requests,
      inspection: inspections(grant.authority),
    });

/** All that decides it: whether there is a secret for the authority. */
type Held = (authority: Authority) => { readonly here: readonly unknown[] };

/** Whether a tunnel's TLS ends here: the policy asks, or a rule or a secret can't do without. */
export const isTerminated = (
  { authority, protocol, requests, terminate: asked }: EgressGrant,
  inspections: Held,
): boolean =>
  protocol === "tls" && (asked || requests !== null || inspections(authority).here.length > 0);

/** The names that the run's CA is made for; without any there is no CA. */
export const terminatedHosts = (
  grants: readonly EgressGrant[],
  inspections: Held,
): readonly string[] => [
  ...new Set(
    grants
      .filter((grant) => isTerminated(grant, inspections))
      .map(({ authority }) => authority.host),
  ),
];
