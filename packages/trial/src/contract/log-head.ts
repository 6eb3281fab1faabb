import { shape } from "@drydock/evidence";

const { digest, id, integer, object, text } = shape;

const count = integer(0);

/** A log's head as its signed note, so that the controller can countersign it. */
export const head = object({ size: count, root: digest, note: text(8192, 1) });

/** What a channel carried, as counted by the process at its host end. */
export const channelBytes = object({ channel: id, toGuest: count, fromGuest: count });
export type ChannelBytes = shape.Shape<typeof channelBytes>;
