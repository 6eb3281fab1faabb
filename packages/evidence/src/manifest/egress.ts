import { digestOfValue } from "../digest/digest.js";
import { isJsonObject, type JsonObject } from "../json/value.js";
import { base64, digest } from "../schema/common.js";
import {
  array,
  nullable,
  object,
  type Reader,
  rule,
  type Shape,
  text,
  typeError,
} from "../schema/reader.js";
import { ascending } from "./ascending.js";

/** A document whose form another format decides; the manifest holds its digest. */
const document: Reader<JsonObject> = {
  schema: { type: "object" },
  read: (value, path) => {
    if (!isJsonObject(value)) throw typeError(path, "an object", value);
    return value;
  },
};

/** What the guest may reach through the broker, and who says so. */
export const egress = object({
  /** `drydock.egress/v1` with every default written out. */
  policy: document,
  /**
   * Detached, in namespace `policy` over the bytes that `digest` names: those of this policy, or of
   * the appliance's policy that it is a projection of. Null for a policy that nobody signed.
   */
  signature: nullable(object({ keyId: digest, digest, value: base64 })),
  /** What the broker puts in for the guest. Nothing here depends on a value, so none can be guessed. */
  secrets: rule(
    array(
      object({
        /** Of the guest's variable, which holds a placeholder. */
        name: text(64, 1),
        /** `host:port`, the only one that is ever sent the value. */
        authority: text(300, 1),
        /** Fields in which a placeholder is replaced; lower case. */
        headers: array(text(64, 1), 64, 1),
      }),
      64,
    ),
    ascending((secret) => secret.name, "secrets"),
  ),
  /** PEM file of roots that upstreams may be verified by besides the usual ones, by its digest. */
  upstreamRoots: nullable(digest),
});

interface Sealed {
  readonly egress: Shape<typeof egress> | null;
  readonly policy: string | null;
  readonly topology: { readonly channels: readonly { readonly kind: string }[] };
  readonly limits: { readonly networkChannels: number };
  readonly tier: string | null;
}

/** A way out, its policy and its channel are sealed together or not at all. */
export const egressProblem = (manifest: Sealed): string | null => {
  const channels = manifest.topology.channels.filter(({ kind }) => kind === "egress").length;
  if (channels !== manifest.limits.networkChannels)
    return `${channels} channels to a broker, and limits.networkChannels says otherwise`;
  if (manifest.egress === null)
    return channels === 0 ? null : "a channel to a broker without a policy";
  if (channels === 0) return "a policy without a channel to a broker";
  if (digestOfValue(manifest.egress.policy) !== manifest.policy)
    return "policy isn't the digest of egress.policy";
  if (manifest.tier !== null)
    return "a run that reaches the real network is exploratory and can't claim a tier";
  return null;
};
