import { shape } from "@drydock/evidence";
import { channelBytes, head } from "./log-head.js";
import { method, nothing } from "./method.js";

const { array, base64, boolean, digest, id, integer, object, text } = shape;

const channels = array(channelBytes, 64);
/** Requests that were refused, and tunnels that were ended for what they carried. */
const denied = integer(0);

/** A policy of as many authorities as there may be, in canonical JSON. */
export const policyText = text(1024 * 1024, 1);

/** What the broker does for the controller. It parses what programs in the guest ask for. */
export const EGRESS = {
  /** The public half of the key that signs the broker's log. */
  introduce: method(nothing, object({ spki: base64 })),
  /** Opens the broker's log, bound to the manifest, and takes the policy that is sealed there. */
  begin: method(object({ run: id, manifest: digest, policy: policyText }), nothing),
  /** Takes the host end of its channel; the guest is given the other one afterwards. */
  connect: method(object({ channel: id, path: text(4096, 1) }), nothing),
  /** Makes the log durable, signs its head, and says what the channel carried so far. */
  checkpoint: method(nothing, object({ head, channels, denied })),
  /** Ends every tunnel and closes the channel. After it no byte passes. */
  revoke: method(object({ reason: id }), object({ channels })),
  /** Closes the log for good. */
  end: method(object({ clean: boolean }), object({ head, channels, denied })),
} as const;

/** What the broker tells the controller unasked. */
export const EGRESS_EVENTS = {
  lost: method(object({ code: id }), nothing),
  violation: method(object({ channel: id, code: id }), nothing),
} as const;
