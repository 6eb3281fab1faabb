import type { BoundAttachment } from "../model/index.js";
import type { Expected } from "../realise/index.js";

/**
 * Guard: whether what is bound now is what was bound before, but for the ports, which are made anew
 * when a container starts. Without it whatever bears the right labels would be bound: a network that
 * was made again on another bridge, whose containers nothing judged in between.
 */
export const isSameBoundary = (held: Expected, now: Expected): boolean =>
  textOf(held) === textOf(now);

/** Both are made by the same code, in the same order. */
const textOf = ({ scenario, platform }: Expected): string =>
  JSON.stringify(
    [scenario, platform].map((bound) => ({
      ...bound,
      attachments: bound.attachments.map(unported),
    })),
  );

const unported = (attachment: BoundAttachment): BoundAttachment => ({ ...attachment, port: null });
