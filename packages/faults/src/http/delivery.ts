/** What the proxy knows of a request's way to the upstream. */
export type Delivered = "proven" | "possibly" | "proven-not";

/** How much of a request was handed to a connection that stands. */
export type Sent = "none" | "part" | "whole";

/**
 * Guard: an answer proves that the request arrived; a request of which not all was ever handed over
 * can't have arrived; whatever lies between isn't known, and no time that passes makes it known.
 */
export const deliveryOf = (sent: Sent, answered: boolean): Delivered => {
  if (answered) return "proven";
  return sent === "whole" ? "possibly" : "proven-not";
};
