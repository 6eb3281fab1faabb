import { refuse } from "../answer/index.js";
import type { Stored } from "../configuration/index.js";

/** Holds every privilege. */
export const ALL_PRIVILEGES = "page-all";

const METHODS_WITH_PRIVILEGE = ["GET", "POST", "PATCH", "PUT", "DELETE"];

/** Such as `api-v2-firewall-alias-patch`. */
export const privilegeOf = (path: string, method: string): string =>
  `${path.replace(/^\//, "").replace(/[/_]/g, "-")}-${method.toLowerCase()}`;

/**
 * A guard: a user may call an endpoint with a method only with that method's privilege, or with all.
 * Methods that no endpoint has (HEAD, TRACE) ask for none, and are refused later.
 *
 * @throws ApiRefusal AUTH_AUTHORIZATION_FAILED
 */
export const authorise = (user: Stored, path: string, method: string): void => {
  if (!METHODS_WITH_PRIVILEGE.includes(method)) return;
  const held = Array.isArray(user["priv"]) ? user["priv"] : [];
  if (held.includes(ALL_PRIVILEGES) || held.includes(privilegeOf(path, method))) return;
  refuse(
    403,
    "AUTH_AUTHORIZATION_FAILED",
    "Authorization failed. You do not have sufficient privileges to access this resource.",
  );
};
