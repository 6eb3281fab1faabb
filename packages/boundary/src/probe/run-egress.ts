import type { ProbeResult } from "../gate/index.js";
import { describePlace } from "../meaning/index.js";
import { type BoundPlatform, type BoundScenario, formatIpv4 } from "../model/index.js";
import { type EgressAttempt, type EgressCell, predictEgress, type Target } from "./egress.js";
import { type OpenPlace, OpenPlaces, type PlacesOptions } from "./places.js";
import { pooled } from "./pooled.js";
import type { Answer } from "./protocol.js";
import type { ProbeReport } from "./run.js";

/** A lost first SYN is sent again after a second, and after three. */
const FLOW_MS = 3_500;
/** A broker looks up for five seconds, and connects for as long as its policy says. */
const TUNNEL_MS = 15_000;
/** Fewer than any policy's broker takes at once, or as many. */
const TUNNELS_AT_ONCE = 1;
/** Probers of so many containers at once: each takes 40 MB. */
const HOLDERS_AT_ONCE = 12;
/** Blocked ones are waited for. */
const FLOWS_AT_ONCE = 64;

const DNS_PORT = 53;

/**
 * Tries the way out: every signed authority through the broker, and what must not get out, from
 * every anchor and every node. Addresses of authorities are asked of the signed resolver, from the
 * egress anchor, which alone may.
 *
 * @throws DrydockError PROBE_FAILED, NAMESPACE_GONE, TOOL_…
 */
export const runEgressProbes = async (
  boundary: { readonly scenario: BoundScenario; readonly platform: BoundPlatform },
  options: PlacesOptions,
): Promise<ProbeReport> => {
  const cells = predictEgress(boundary);
  if (cells.length === 0) return { results: [], unproven: ["no way to the broker is signed"] };
  const addresses = await addressesFor(boundary.platform, cells, options);
  const holders = [...new Set(cells.map(({ source }) => source.holder))];
  const reports: ProbeReport[] = [];
  for (let from = 0; from < holders.length; from += HOLDERS_AT_ONCE) {
    const some = new Set(holders.slice(from, from + HOLDERS_AT_ONCE));
    const theirs = cells.filter(({ source }) => some.has(source.holder));
    await using places = new OpenPlaces(options);
    const attempted = (cell: EgressCell) => tried(cell, places.of(cell.source.holder), addresses);
    const [tunnels, flows] = await Promise.all([
      pooled(theirs.filter(isTunnel), TUNNELS_AT_ONCE, attempted),
      pooled(
        theirs.filter((cell) => !isTunnel(cell)),
        FLOWS_AT_ONCE,
        attempted,
      ),
    ]);
    reports.push(...tunnels, ...flows);
  }
  return {
    results: reports.flatMap(({ results }) => results),
    unproven: reports.flatMap(({ unproven }) => unproven),
  };
};

const isTunnel = ({ attempt }: EgressCell): boolean => attempt.kind === "tunnel";

/** What names of targets mean, as a signed resolver says; a name that it doesn't know is missing. */
const addressesFor = async (
  { egress }: BoundPlatform,
  cells: readonly EgressCell[],
  options: PlacesOptions,
): Promise<ReadonlyMap<string, string>> => {
  const names = new Set(cells.flatMap(({ attempt }) => namesIn(attempt)));
  const asking = cells.find(({ trial }) => trial === "resolver");
  const [resolver] = egress?.resolvers ?? [];
  if (asking === undefined || resolver === undefined) return new Map();
  await using places = new OpenPlaces(options);
  const place = places.of(asking.source.holder);
  const at = { host: formatIpv4(resolver), port: DNS_PORT };
  const found = new Map<string, string>();
  for (const name of names) {
    const [address] = (await place?.prober.lookup(at, name, FLOW_MS))?.said ?? [];
    if (address !== undefined) found.set(name, address);
  }
  return found;
};

const namesIn = (attempt: EgressAttempt): readonly string[] => {
  const target =
    attempt.kind === "flow" ? attempt.to : attempt.kind === "lookup" ? attempt.at : null;
  return target !== null && "addressOf" in target ? [target.addressOf] : [];
};

const tried = async (
  cell: EgressCell,
  at: OpenPlace | null,
  addresses: ReadonlyMap<string, string>,
): Promise<ProbeReport> => {
  const { trial, source, attempt, expected } = cell;
  const { destination, port, words } = told(attempt, addresses);
  const identity = `${describePlace(source)} → ${words}`;
  const answer = at === null ? null : await attempted(cell, at, addresses);
  // Nothing shows whether it would be blocked.
  if (answer === null || answer.outcome === "unsendable")
    return { results: [], unproven: [identity] };
  const result: ProbeResult = {
    identity,
    authority: "egress",
    trial,
    source: describePlace(source),
    destination,
    protocol:
      attempt.kind === "flow" ? attempt.protocol : attempt.kind === "tunnel" ? "tcp" : "udp",
    port,
    expectation: expected,
    passed: isExpected(cell, answer),
  };
  return { results: [result], unproven: [] };
};

/** Through the broker, blocked is what it refuses for the reason that the policy gives it. */
const isExpected = ({ attempt, expected }: EgressCell, { outcome, said }: Answer): boolean => {
  if (expected === "reachable") return outcome === "reached";
  if (attempt.kind !== "tunnel") return outcome === "silent";
  return outcome === "refused" && said[0] === attempt.refusal;
};

const attempted = async (
  { source, attempt }: EgressCell,
  { prober }: OpenPlace,
  addresses: ReadonlyMap<string, string>,
): Promise<Answer | null> => {
  switch (attempt.kind) {
    case "tunnel": {
      const { ipv4, port } = attempt.broker;
      const authority = `${attempt.host}:${attempt.port}`;
      return prober.tunnel({ host: formatIpv4(ipv4), port }, authority, TUNNEL_MS);
    }
    case "flow": {
      const host = hostOf(attempt.to, addresses);
      if (host === null) return null;
      const to = { host, port: attempt.port };
      const from = formatIpv4(source.ipv4);
      const outcome = await prober.attempt(attempt.protocol, { from, to, timeoutMs: FLOW_MS });
      return { outcome, said: [] };
    }
    case "lookup": {
      const host = hostOf(attempt.at, addresses);
      if (host === null) return null;
      return prober.lookup({ host, port: DNS_PORT }, attempt.name, FLOW_MS);
    }
  }
};

const hostOf = (target: Target, addresses: ReadonlyMap<string, string>): string | null =>
  "ipv4" in target ? formatIpv4(target.ipv4) : (addresses.get(target.addressOf) ?? null);

const told = (attempt: EgressAttempt, addresses: ReadonlyMap<string, string>) => {
  switch (attempt.kind) {
    case "tunnel": {
      const { host, port } = attempt;
      return { destination: host, port, words: `${host}:${port} by the broker` };
    }
    case "flow": {
      const { to, protocol, port } = attempt;
      const destination = hostOf(to, addresses) ?? nameOf(to);
      return { destination, port, words: `${destination} ${protocol}/${port}` };
    }
    case "lookup": {
      const destination = hostOf(attempt.at, addresses) ?? nameOf(attempt.at);
      return { destination, port: DNS_PORT, words: `name server ${destination}` };
    }
  }
};

const nameOf = (target: Target): string => ("addressOf" in target ? target.addressOf : "");
