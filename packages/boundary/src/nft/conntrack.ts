import type { ChangeableNamespace } from "./host-namespace.js";
import { inside } from "./inside.js";

/**
 * Forgets every connection of a namespace, so that one which is no longer allowed doesn't live on
 * as established. A connection that is allowed is met again as a new one at its next bytes; one that
 * has none left to send can't say its end any more (a FIN alone is invalid), and its ends time out.
 *
 * @throws DrydockError CONNTRACK_MISSING, TOOL_…
 */
export const flushConntrack = async (namespace: ChangeableNamespace): Promise<void> => {
  await inside(namespace, "conntrack", ["-F"]);
};
