import type { Namespace } from "../keys/sign.js";
import type { Role } from "../record/vocabulary.js";
import type { Instant } from "../schema/common.js";
import type { Authority } from "./trust.js";

/**
 * Whether a key may sign in a namespace for a role at all. A revoked key may not, whatever time
 * its signatures claim: whoever stole it writes any time he likes.
 *
 * @param now refuses keys that aren't valid yet; null to leave that to the signed times.
 */
export const maySign = (
  authority: Authority,
  namespace: Namespace,
  role: Role,
  now: Instant | null,
): boolean =>
  authority.revoked === null &&
  authority.namespaces.includes(namespace) &&
  authority.roles.includes(role) &&
  (now === null || authority.notBefore <= now);
