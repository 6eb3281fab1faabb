import { shape } from "@drydock/evidence";
import { channelBytes, head } from "./log-head.js";
import { method, nothing } from "./method.js";
import { canaries, ownEnvironment, plantedFile } from "./planted.js";

const { array, base64, boolean, digest, id, integer, nullable, object, text } = shape;

const channels = array(channelBytes, 64);
/** Requests that were refused, and tunnels that were ended for what they carried. */
const denied = integer(0);

/** A policy of as many authorities as there may be, in canonical JSON. */
export const policyText = text(1024 * 1024, 1);

const MAX_SECRETS = 64;
const secretName = text(64, 1);

/** Which secrets there are, for whom, and in which fields: all but their values. */
export const secretTerms = array(
  object({ name: secretName, authority: text(300, 1), headers: array(text(64, 1), 64, 1) }),
  MAX_SECRETS,
);

/** What the broker does for the controller. It parses what programs in the guest ask for. */
export const EGRESS = {
  /** The public half of the key that signs the broker's log. */
  introduce: method(nothing, object({ spki: base64 })),
  /**
   * Opens the broker's log, bound to the manifest, and takes what is sealed there. Answers with what
   * the guest gets: the certificate of the run's CA if there is one, and a placeholder a secret.
   */
  begin: method(
    object({
      run: id,
      manifest: digest,
      policy: policyText,
      secrets: secretTerms,
      upstreamRoots: nullable(digest),
      canaries,
      /** How long the run may last, in milliseconds. */
      lifetimeMs: integer(1),
    }),
    object({ trust: nullable(plantedFile), environment: ownEnvironment }),
  ),
  /** Takes the host end of its channel; the guest is given the other one afterwards. */
  connect: method(object({ channel: id, path: text(4096, 1) }), nothing),
  /** Makes the log durable, signs its head, and says what the channel carried so far. */
  checkpoint: method(nothing, object({ head, channels, denied })),
  /** Ends every tunnel and closes the channel. After it no byte passes. */
  revoke: method(object({ reason: id }), object({ channels })),
  /** Closes the log for good. */
  end: method(object({ clean: boolean }), object({ head, channels, denied })),
} as const;

/**
 * What the launcher hands the broker over a line of their own: the controller, which writes the
 * manifest and the log, never holds a secret.
 */
export const EGRESS_SUPPLIES = {
  supply: method(
    object({
      secrets: array(object({ name: secretName, value: text(1024, 1) }), MAX_SECRETS),
      /** PEM certificates. */
      upstreamRoots: nullable(text(256 * 1024, 1)),
    }),
    nothing,
  ),
} as const;
export type EgressSupplies = ReturnType<(typeof EGRESS_SUPPLIES)["supply"]["params"]>;

/** What the broker tells the controller unasked. */
export const EGRESS_EVENTS = {
  lost: method(object({ code: id }), nothing),
  violation: method(object({ channel: id, code: id }), nothing),
} as const;
