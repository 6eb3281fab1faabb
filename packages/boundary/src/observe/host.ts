import { readFile } from "node:fs/promises";
import type { Digest, SigningKey } from "@drydock/evidence";
import { parseLinks } from "../engine/index.js";
import { type HostListener, type HostObservation, signHostObservation } from "../gate/index.js";
import {
  type AppliancePolicy,
  contains,
  formatIpv4,
  type Ipv4,
  parseCidr,
} from "../model/index.js";
import { type NetworkHandle, type NetworkNamespace, openNamespace } from "../nft/index.js";
import { inside } from "../nft/inside.js";
import { type Endpoint, type Outcome, ProbingPlace } from "../probe/index.js";
import { type Listener, parseListeners } from "./listeners.js";

/** A machine's own address answers at once, or refuses at once. */
const FORBIDDEN_MS = 500;
/** More isn't an appliance's, and wouldn't be read. */
const MAX_LISTENERS = 256;

export interface HostRequest {
  /** A namespace with all that listens in it, or a process with what it listens on itself. */
  readonly appliance: NetworkHandle;
  /** As the launch's binding names it. */
  readonly launch: string;
  readonly policy: AppliancePolicy;
  readonly payloadDigest: Digest;
  /** Where outer addresses lead: the engine's publications, or what a launcher forwards. */
  readonly mappings: readonly (Listener & { readonly guest: HostListener["guest"] })[];
  /** Milliseconds since the epoch, of the observation's beginning. */
  readonly now: number;
  /** File of the prober. */
  readonly program: string;
}

/**
 * What somebody outside of the appliance sees of it, signed: what listens and where it leads, and
 * whether what is published on loopback answers on any other address as well.
 *
 * @throws DrydockError NAMESPACE_GONE, HOST_LISTING, PROBE_FAILED, TOOL_…: then there is none
 */
export const observeHost = async (request: HostRequest, key: SigningKey): Promise<Buffer> => {
  using namespace = openNamespace(request.appliance);
  const [listing, addresses, bootId] = await Promise.all([
    inside(namespace, "ss", ["-H", "-ltnup"]),
    outerAddresses(namespace),
    readFile("/proc/sys/kernel/random/boot_id", "utf8"),
  ]);
  const pid = request.appliance.kind === "pid" ? request.appliance.pid : null;
  const listeners = parseListeners(listing.toString("utf8"), pid);
  await using place = new ProbingPlace(namespace, request.program);
  const attempt = (protocol: Listener["protocol"], to: Endpoint) =>
    place.attempt(protocol, { from: to.host, to, timeoutMs: FORBIDDEN_MS });
  const forbidden = await tryForbidden(request.policy, addresses, attempt);
  return signHostObservation(
    hostObservationOf(request, { listeners, bootId: bootId.trim(), forbidden }),
    key,
  );
};

/** Pure: the observation, of what was seen. */
export const hostObservationOf = (
  { launch, policy, payloadDigest, mappings, now }: Omit<HostRequest, "appliance" | "program">,
  seen: {
    readonly listeners: readonly Listener[];
    readonly bootId: string;
    readonly forbidden: Forbidden;
  },
): HostObservation => {
  const { tried, reached, unknown } = seen.forbidden;
  return {
    launch,
    policyDigest: policy.digest,
    payloadDigest,
    bootId: seen.bootId,
    observedAt: new Date(now).toISOString(),
    // Nothing tried shows nothing: a machine without an outer address wasn't looked at from outside.
    complete: tried > 0 && unknown === 0 && seen.listeners.length <= MAX_LISTENERS,
    listeners: seen.listeners.slice(0, MAX_LISTENERS).map((listener) => ({
      ...listener,
      audience:
        policy.publications.find((signed) =>
          isAt(listener, { ...signed, address: formatIpv4(signed.address) }),
        )?.audience ?? null,
      guest: mappings.find((mapping) => isAt(listener, mapping))?.guest ?? null,
    })),
    forbidden: { tried, reached },
  };
};

const isAt = (one: Listener, other: Listener): boolean =>
  one.address === other.address && one.port === other.port && one.protocol === other.protocol;

export interface Forbidden {
  readonly tried: number;
  readonly reached: number;
  /** Neither answered nor refused. */
  readonly unknown: number;
}

/** Every published port on every address that isn't loopback. */
export const tryForbidden = async (
  { publications }: Pick<AppliancePolicy, "publications">,
  addresses: readonly Ipv4[],
  attempt: (protocol: Listener["protocol"], to: Endpoint) => Promise<Outcome>,
): Promise<Forbidden> => {
  const outcomes = await Promise.all(
    publications.flatMap(({ protocol, port }) =>
      addresses.map(async (address) => ({
        protocol,
        outcome: await attempt(protocol, { host: formatIpv4(address), port }),
      })),
    ),
  );
  const isUnknown = ({ protocol, outcome }: (typeof outcomes)[number]): boolean =>
    // A datagram that isn't answered may have arrived; a connection that isn't hasn't.
    outcome === "unsendable" || outcome === "taken" || (protocol === "udp" && outcome === "silent");
  return {
    tried: outcomes.length,
    reached: outcomes.filter(({ outcome }) => outcome === "reached").length,
    unknown: outcomes.filter(isUnknown).length,
  };
};

const LOOPBACK = parseCidr("127.0.0.0/8");

const outerAddresses = async (namespace: NetworkNamespace): Promise<readonly Ipv4[]> => {
  const links = parseLinks((await inside(namespace, "ip", ["-json", "address"])).toString("utf8"));
  return links
    .flatMap(({ ipv4 }) => ipv4)
    .filter((address) => LOOPBACK === null || !contains(LOOPBACK, address));
};
