import { readUserFile } from "@drydock/document";
import { canonicalBytes } from "@drydock/evidence";
import * as z from "zod/mini";
import { type AppliancePolicy, applianceSchema, canonicalName } from "./appliance-schema.js";
import { policyFrom } from "./document.js";
import type { EgressLimits, EgressProtocol, ResolverAddress } from "./model.js";
import { DEFAULT_LIMITS, POLICY_SCHEMA, type PolicyDocument } from "./schema.js";
import { parsePolicySignature } from "./signature.js";
import type { SignedPolicy, SignedPolicyOptions } from "./signed.js";
import { verifyPolicySignature } from "./verify-signature.js";

export interface ApplianceOptions extends SignedPolicyOptions {
  /** An appliance policy says how names are resolved, not by whom. */
  readonly resolvers: readonly ResolverAddress[];
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
  { file, signature: signatureFile, keys, resolvers }: ApplianceOptions,
): SignedPolicy => {
  const signature = parsePolicySignature(signatureFile);
  verifyPolicySignature(applianceBytes(text, file), signature, keys);
  const { value, lineOf } = readUserFile(bytesOf(text), applianceSchema, file);
  const policy = policyFrom(documentOf(value, resolvers), (index) =>
    lineOf(["egress_authorities", index]),
  );
  return { policy, signature };
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
