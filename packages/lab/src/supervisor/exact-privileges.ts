import { ENDPOINTS, HISTORY_SOURCES, pfsenseAliasDescription } from "@drydock/acceptance";
import { DrydockError } from "@drydock/evidence";
import { privilegeOf } from "../appliance/index.js";
import { SURFACES } from "../preflight/index.js";

const { endpointSymbol, httpMethod } = pfsenseAliasDescription;
const history = HISTORY_SOURCES[endpointSymbol];

/** The one change that is rehearsed, the history before it, and what a preflight reads. */
export const EXACT_PRIVILEGES: readonly string[] = [
  privilegeOf(ENDPOINTS[endpointSymbol].path, httpMethod),
  ...[...(history === null ? [] : [history]), ...SURFACES].map(({ path }) =>
    privilegeOf(path, "GET"),
  ),
];

/**
 * Guard: an identity that may do more could do it in a fault that nobody thought of, and one that
 * may do less proves nothing.
 *
 * @throws DrydockError LAB_PRIVILEGES
 */
export const requireExactPrivileges = (held: readonly string[]): void => {
  const more = held.filter((name) => !EXACT_PRIVILEGES.includes(name)).length;
  const fewer = EXACT_PRIVILEGES.filter((name) => !held.includes(name)).length;
  if (more === 0 && fewer === 0) return;
  throw new DrydockError(
    "LAB_PRIVILEGES",
    `the lab's identity has ${more} privileges too many, and ${fewer} are missing`,
    { fix: `Give it exactly: ${EXACT_PRIVILEGES.join(", ")}.` },
  );
};
