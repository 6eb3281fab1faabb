import { readUserFile } from "@drydock/document";
import { canonicalBytes, type Digest, digestOf } from "@drydock/evidence";
import * as z from "zod/mini";
import { type AppliancePolicy, applianceSchema, canonicalName } from "./appliance-schema.js";
import { policyFrom } from "./document.js";
import type { EgressLimits, EgressPolicy, EgressProtocol, ResolverAddress } from "./model.js";
import { DNS_PORT } from "./resolvers.js";
import { DEFAULT_LIMITS, POLICY_SCHEMA, type PolicyDocument } from "./schema.js";
import { parsePolicySignature } from "./signature.js";
import type { SignedPolicy, SignedPolicyOptions } from "./signed.js";
import { verifyPolicySignature } from "./verify-signature.js";

export interface ApplianceOptions {
  /** As the user named it, for messages. */
  readonly file: string;
  /** Asked only when the policy names none. */
  readonly resolvers: () => readonly ResolverAddress[];
}

/** What of an appliance policy a broker has use for. */
export interface ProjectedAppliance {
  readonly policy: EgressPolicy;
  /** Over the file's exact bytes: what a release, and a boundary that was read back, name it by. */
  readonly digest: Digest;
  /** How old an observation of the boundary may be. */
  readonly freshnessSeconds: number;
}

/**
 * The broker's part of a signed appliance policy: exact TCP CONNECT authorities and bounds. There
 * is no projection of an unsigned one, and nothing in it that would admit plain HTTP, termination,
 * an encrypted ClientHello or a secret.
 *
 * @throws DrydockError FILE_…, as `verifyPolicySignature`; JsonError, ShapeError
 */
export const projectAppliance = (
  text: string | Uint8Array,
  { signature: signatureFile, keys, ...options }: ApplianceOptions & SignedPolicyOptions,
): ProjectedAppliance & SignedPolicy => {
  const signature = parsePolicySignature(signatureFile);
  verifyPolicySignature(applianceBytes(text, options.file), signature, keys);
  return { ...project(bytesOf(text), options), signature };
};

/**
 * The same of a policy that has no signature of its own: a release names it.
 *
 * @param requireReleased throws unless somebody trusted released the file with this digest. What a
 *   release is, is known to whoever calls.
 * @throws DrydockError FILE_…, and what `requireReleased` throws
 */
export const projectReleased = (
  text: string | Uint8Array,
  { requireReleased, ...options }: ApplianceOptions & { readonly requireReleased: RequireReleased },
): ProjectedAppliance => {
  const bytes = bytesOf(text);
  requireReleased(digestOf(bytes));
  return project(bytes, options);
};

export type RequireReleased = (digest: Digest) => void;

const project = (bytes: Uint8Array, { file, resolvers }: ApplianceOptions): ProjectedAppliance => {
  const { value, lineOf } = readUserFile(bytes, applianceSchema, file);
  const signed = value.egress_resolvers.map((address) => ({ address, port: DNS_PORT }));
  const asked = signed.length > 0 ? signed : resolvers();
  return {
    policy: policyFrom(documentOf(value, asked), (index) => lineOf(["egress_authorities", index])),
    digest: digestOf(bytes),
    freshnessSeconds: value.observation_freshness_seconds,
  };
};

/** The RFC 8785 bytes of the whole file, the parts that don't concern the broker included. */
export const applianceBytes = (text: string | Uint8Array, file: string): Buffer =>
  canonicalBytes(readUserFile(bytesOf(text), z.unknown(), file).value);

const bytesOf = (text: string | Uint8Array): Uint8Array =>
  typeof text === "string" ? Buffer.from(text) : text;

const documentOf = (
  { egress_authorities: authorities, egress_proxy_limits: limits }: AppliancePolicy,
  resolvers: readonly ResolverAddress[],
): PolicyDocument => ({
  schema: POLICY_SCHEMA,
  authorities: authorities.map(({ authority, port, purpose }) => ({
    name: canonicalName(authority),
    port,
    protocol: protocolOf(port),
    purpose,
    allowEch: false,
    terminate: false,
    requests: null,
  })),
  resolvers: resolvers.map(({ address, port }) => ({ address, port })),
  limits: limitsOf(limits),
});

/**
 * Signed is "tcp". On the port of HTTPS the server name is held to the authority as well: narrower
 * than what was signed, and without it any other site at the same address could be reached.
 */
const protocolOf = (port: number): EgressProtocol => (port === 443 ? "tls" : "tcp-opaque");

/** Bounds that the appliance's format has no field for are fixed: they can't be widened unsigned. */
const limitsOf = (limits: AppliancePolicy["egress_proxy_limits"]): EgressLimits => ({
  ...DEFAULT_LIMITS,
  maxConnections: limits.max_connections,
  maxHeaderBytes: limits.max_header_bytes,
  headerTimeoutMs: limits.header_timeout_seconds * 1_000,
  helloTimeoutMs: limits.header_timeout_seconds * 1_000,
  connectTimeoutMs: limits.connect_timeout_seconds * 1_000,
  idleTimeoutMs: limits.idle_timeout_seconds * 1_000,
});
