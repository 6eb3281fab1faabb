import type { Action, Judgement, Packet } from "../model/index.js";

/**
 * Replies to an allowed flow, and ICMP errors about one (RFC 1122 3.2.2). Connection tracking also
 * calls related what a helper read out of a connection: nobody allowed that, so it's a new flow.
 */
export const belongsToFlow = (packet: Packet): boolean =>
  packet.state === "established" || (packet.state === "related" && packet.protocol === "icmp");

export const byState = (action: Action, { state }: Packet): Judgement => ({
  action,
  grounds: [{ kind: "state", state }],
});
