import {
  type BrokerOptions,
  type Canary,
  createInspections,
  createRunCa,
  createSecret,
  createTerminator,
  type EgressPolicy,
  IMAGE_ROOTS,
  isTerminated,
  parseAuthority,
  type Secret,
  secretEnvironment,
  type Timers,
  terminatedHosts,
} from "@drydock/broker";
import { DrydockError, digestOf } from "@drydock/evidence";
import { type EGRESS, type EgressSupplies, TRUST_FILE } from "../contract/index.js";

type Begin = ReturnType<(typeof EGRESS)["begin"]["params"]>;

export interface InspectPorts {
  readonly timers: Timers;
  readonly now: () => Date;
  readonly entropy: (bytes: number) => Uint8Array;
}

/** What is looked into of a run's tunnels, and what the guest has to know for it. */
export interface Inspected {
  readonly broker: Pick<BrokerOptions, "terminates" | "terminate">;
  readonly guest: ReturnType<(typeof EGRESS)["begin"]["result"]>;
}

/**
 * Makes the run's secrets, and a CA for the names whose TLS ends here; without any there is none.
 *
 * @throws DrydockError EGRESS_SUPPLY when what the launcher handed over isn't what was sealed
 */
export const inspectTunnels = async (
  policy: EgressPolicy,
  sealed: Pick<Begin, "secrets" | "upstreamRoots" | "canaries" | "lifetimeMs">,
  supplies: EgressSupplies,
  { timers, now, entropy }: InspectPorts,
): Promise<Inspected> => {
  const secrets = secretsOf(sealed, supplies, entropy);
  const canaries: readonly Canary[] = sealed.canaries;
  const inspections = createInspections(secrets, canaries);
  const hosts = terminatedHosts(policy.grants, inspections);
  const environment = Object.entries(secretEnvironment(secrets)).map(([name, value]) => ({
    name,
    value,
  }));
  if (hosts.length === 0) return { broker: {}, guest: { trust: null, environment } };
  const ca = await createRunCa({
    issuer: "Drydock run",
    hosts,
    now: now(),
    lifetimeMs: sealed.lifetimeMs,
    random: entropy,
  });
  const { maxHeaderBytes, headerTimeoutMs, helloTimeoutMs } = policy.limits;
  return {
    broker: {
      terminates: (grant) => isTerminated(grant, inspections),
      terminate: createTerminator({
        ca,
        inspections,
        upstreamRoots: rootsOf(sealed, supplies),
        limits: { maxHeaderBytes, headerTimeoutMs, handshakeTimeoutMs: helloTimeoutMs },
        timers,
      }),
    },
    guest: {
      trust: { path: TRUST_FILE, contents: ca.caCertificatePem, besides: IMAGE_ROOTS },
      environment,
    },
  };
};

const secretsOf = (
  sealed: Pick<Begin, "secrets">,
  supplies: EgressSupplies,
  random: (bytes: number) => Uint8Array,
): readonly Secret[] => {
  if (supplies.secrets.length !== sealed.secrets.length) throw notSealed("secrets");
  return sealed.secrets.map(({ name, authority, headers }) => {
    const value = supplies.secrets.find((supplied) => supplied.name === name)?.value;
    const parsed = parseAuthority(authority);
    if (value === undefined || parsed.kind === "refused") throw notSealed(name);
    return createSecret({ name, authority: parsed.authority, headers, value, random });
  });
};

const rootsOf = (
  { upstreamRoots: digest }: Pick<Begin, "upstreamRoots">,
  { upstreamRoots: roots }: EgressSupplies,
): readonly string[] => {
  const supplied = roots === null ? null : digestOf(Buffer.from(roots, "utf8"));
  if (supplied !== digest) throw notSealed("roots");
  return roots === null ? [] : [roots];
};

const notSealed = (what: string): DrydockError =>
  new DrydockError("EGRESS_SUPPLY", `${what}: not what was sealed`);
