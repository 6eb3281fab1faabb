import { existsSync } from "node:fs";
import {
  type LoadedPolicy,
  loadPolicy,
  type PolicyKeys,
  parseResolver,
  policyFromAllow,
  type RequireReleased,
  type ResolverAddress,
  readPublicKey,
  resolversFromResolvConf,
} from "@drydock/broker";
import { DrydockError, readNamedFile } from "@drydock/evidence";
import { loadTrust } from "@drydock/trial";
import { usage } from "./usage.js";

/** Whose signature a policy has to bear. */
export interface ProofFlags {
  readonly signature?: string;
  readonly key?: string;
  readonly trust?: string;
}

/** What a guest may reach, as a command line says it. */
export interface EgressFlags {
  readonly policy?: string;
  readonly allow?: readonly string[];
  readonly resolver?: readonly string[];
  readonly proof: ProofFlags;
  /** Instead of `proof`: a release vouches for the policy. */
  readonly requireReleased?: RequireReleased;
}

const RESOLV_CONF = "/etc/resolv.conf";

/**
 * The policy of a run: from a file, or written from what is allowed; null for no way out. Which
 * name servers are asked is settled here, so that they stand in the manifest.
 *
 * @param resolvConf the host's file, read only when nobody names a resolver.
 * @throws DrydockError USAGE, FILE_UNREADABLE, and as `loadPolicy` and `policyFromAllow`
 */
export const egressFromFlags = (
  { policy, allow = [], resolver = [], ...vouchedBy }: EgressFlags,
  resolvConf: () => Uint8Array = () => readNamedFile(RESOLV_CONF),
): LoadedPolicy | null => {
  const resolvers = (): readonly ResolverAddress[] =>
    resolver.length > 0
      ? resolver.map(parseResolver)
      : resolversFromResolvConf(Buffer.from(resolvConf()).toString("latin1"), RESOLV_CONF);
  if (policy !== undefined && allow.length > 0)
    throw usage("--policy and --allow both say what may be reached", "Give one of them.");
  if (policy !== undefined) return loadNamed(policy, vouchedBy, resolver.length > 0, resolvers);
  if (allow.length > 0)
    return {
      policy: policyFromAllow(allow, resolvers()),
      signature: null,
      admitsSecrets: true,
      appliance: null,
    };
  if (resolver.length > 0)
    throw usage("--resolver without anything to reach", "Say what may be reached with --allow.");
  return null;
};

const loadNamed = (
  file: string,
  { proof, requireReleased }: Pick<EgressFlags, "proof" | "requireReleased">,
  namesResolver: boolean,
  resolvers: () => readonly ResolverAddress[],
): LoadedPolicy => {
  let asked = false;
  const loaded = loadPolicy(readNamedFile(file), {
    file,
    proof: requireReleased === undefined ? proofFrom(file, proof) : null,
    ...(requireReleased === undefined ? {} : { requireReleased }),
    resolvers: () => {
      asked = true;
      return resolvers();
    },
  });
  if (namesResolver && !asked)
    throw usage(`${file} names its own resolvers`, "Leave out --resolver, or change the file.");
  return loaded;
};

/** Where the signature is, and who may have made it. The policy itself is asked for neither. */
export const proofFrom = (file: string, { signature, key, trust }: ProofFlags) => {
  if (key !== undefined && trust !== undefined)
    throw usage("a key and a trust file both say whose signature it has to be", "Give one.");
  const keys = keysFrom(key, trust);
  if (keys !== null) {
    if (signature === undefined) requireSignatureBeside(file);
    return { signature: readNamedFile(signature ?? `${file}.sig`), keys };
  }
  if (signature === undefined) return null;
  throw usage("a signature alone proves nothing", "Name the key, or a trust file, that it is by.");
};

/** Of a file that nobody named, "cannot read" wouldn't say what is missing. */
const requireSignatureBeside = (file: string): void => {
  const beside = `${file}.sig`;
  if (existsSync(beside)) return;
  throw new DrydockError("POLICY_UNSIGNED", `${file} has no signature at ${beside}`, {
    fix: `Sign it: drydock sign ${file} --namespace policy > ${beside}. Or say where its signature is.`,
  });
};

const keysFrom = (key: string | undefined, trust: string | undefined): PolicyKeys | null => {
  if (key !== undefined) return { kind: "key", key: readPublicKey(readNamedFile(key)) };
  if (trust === undefined) return null;
  return { kind: "trust", trust: loadTrust(trust), now: new Date().toISOString() };
};
