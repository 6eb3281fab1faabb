import type { ProbeResult } from "../gate/index.js";
import { describePlace, type TruthCell } from "../meaning/index.js";
import { formatIpv4, type PlanAddress } from "../model/index.js";
import { authorityOf, identityOf } from "./cell.js";
import { ping } from "./ping.js";
import { type OpenPlace, OpenPlaces, type PlacesOptions } from "./places.js";
import { pooled } from "./pooled.js";
import type { Outcome } from "./protocol.js";
import { ranked, SAMPLE_SIZE } from "./sample.js";

/** A lost first SYN is sent again after a second, and after three. */
const PROBE_MS = 3_500;
/** Whatever is blocked is waited for: many at once, and each costs a socket. */
const MAX_AT_ONCE = 256;
/** Each is a process. */
const MAX_PINGS_AT_ONCE = 12;
export interface ProbeOptions extends PlacesOptions {
  /** `sample`: some of each kind, chosen by the seed. `all`: every cell. */
  readonly extent: "sample" | "all";
  readonly seed: Uint8Array;
}

export interface ProbeReport {
  readonly results: readonly ProbeResult[];
  /** Flows that had to be tried and couldn't be: nothing shows whether they are blocked. */
  readonly unproven: readonly string[];
}

/**
 * Tries flows from inside of their sources' network namespaces, each towards somebody who was seen
 * to answer from within his own. All listeners that were started are gone when it returns.
 *
 * @throws DrydockError PROBE_FAILED, PROBE_TOO_MANY, NAMESPACE_GONE, TOOL_…
 */
export const runProbes = async (
  cells: readonly TruthCell[],
  options: ProbeOptions,
): Promise<ProbeReport> => {
  const order = options.extent === "all" ? cells : ranked(cells, options.seed);
  const size = options.extent === "all" ? cells.length : Math.min(SAMPLE_SIZE, cells.length);
  await using places = new OpenPlaces(options);
  const { chosen, unproven } = await prepare(order, size, (holder) => places.of(holder));
  const pings = chosen.filter(({ protocol }) => protocol === "icmp");
  const others = chosen.filter(({ protocol }) => protocol !== "icmp");
  const attempted = (cell: TruthCell) => attempt(cell, places.of(cell.source.holder));
  const results = await Promise.all([
    pooled(others, MAX_AT_ONCE, attempted),
    pooled(pings, MAX_PINGS_AT_ONCE, attempted),
  ]);
  return {
    results: results.flat(),
    // A sample takes others in their place, as long as there are others.
    unproven: options.extent === "all" || chosen.length < size ? unproven : [],
  };
};

/** The first so many whose destinations answer, and those before them that don't. */
const prepare = async (
  order: readonly TruthCell[],
  size: number,
  placeOf: (holder: PlanAddress) => OpenPlace | null,
) => {
  const served = new Map<string, Promise<boolean>>();
  const isServed = (cell: TruthCell): Promise<boolean> => {
    const { destination, protocol, port } = cell;
    const key = `${destination.holder} ${destination.ipv4} ${protocol} ${port}`;
    const known = served.get(key);
    if (known !== undefined) return known;
    const asked = serve(cell, placeOf(destination.holder));
    served.set(key, asked);
    return asked;
  };
  const chosen: TruthCell[] = [];
  const unproven: string[] = [];
  for (let from = 0; from < order.length && chosen.length < size; ) {
    const batch = order.slice(from, from + size - chosen.length);
    from += batch.length;
    const ready = await pooled(batch, MAX_PINGS_AT_ONCE, async (cell) => {
      return placeOf(cell.source.holder) !== null && (await isServed(cell));
    });
    for (const [index, cell] of batch.entries()) {
      if (ready[index] === true) chosen.push(cell);
      else unproven.push(identityOf(cell));
    }
  }
  return { chosen, unproven };
};

const serve = async (
  { destination, protocol, port }: TruthCell,
  at: OpenPlace | null,
): Promise<boolean> => {
  if (at === null) return false;
  const host = formatIpv4(destination.ipv4);
  const outcome =
    protocol === "icmp" || port === null
      ? await ping(at.namespace, { from: host, to: host })
      : await at.prober.serve(protocol, { host, port });
  return outcome === "reached";
};

const attempt = async (cell: TruthCell, at: OpenPlace | null): Promise<ProbeResult> => {
  const { source, destination, protocol, port, expected } = cell;
  const from = formatIpv4(source.ipv4);
  const host = formatIpv4(destination.ipv4);
  const tried = async (): Promise<Outcome> => {
    if (at === null) return "unsendable";
    if (protocol === "icmp" || port === null) return ping(at.namespace, { from, to: host });
    return at.prober.attempt(protocol, { from, to: { host, port }, timeoutMs: PROBE_MS });
  };
  const outcome = await tried();
  return {
    identity: identityOf(cell),
    authority: authorityOf(cell),
    trial: null,
    source: describePlace(source),
    destination: describePlace(destination),
    protocol,
    port,
    expectation: expected,
    passed: outcome === (expected === "reachable" ? "reached" : "silent"),
  };
};
