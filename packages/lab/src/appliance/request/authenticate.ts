import { timingSafeEqual } from "node:crypto";
import { refuse } from "../answer/index.js";
import type { Appliance, Stored } from "../configuration/index.js";
import { AUTH_METHODS, type AuthMethod, hashKey, isPassword } from "../model/index.js";
import type { ApiCall } from "./call.js";
import { userOfToken } from "./token.js";

/**
 * Who sends a request: the first of the allowed methods that it uses decides, and no other is tried
 * when that fails.
 *
 * @param allowed by the endpoint itself; null for what the settings allow
 * @throws ApiRefusal AUTH_AUTHENTICATION_FAILED
 */
export const authenticate = (
  call: ApiCall,
  appliance: Appliance,
  allowed: readonly AuthMethod[] | null,
): Stored => {
  const { settings } = appliance.configuration;
  const configured = Array.isArray(settings["auth_methods"]) ? settings["auth_methods"] : [];
  // In the order in which they are configured.
  const methods =
    allowed ?? configured.flatMap((name) => AUTH_METHODS.find((method) => method === name) ?? []);
  const method = methods.find((one) => uses(call, one));
  const user = method === undefined ? null : userBy(method, call, appliance);
  if (user !== null && user["disabled"] !== true) return user;
  return refuse(
    401,
    "AUTH_AUTHENTICATION_FAILED",
    "Authentication failed.",
    method === "BasicAuth"
      ? { "www-authenticate": 'Basic realm="Login for pfSense REST API"' }
      : {},
  );
};

const uses = ({ fields }: ApiCall, method: AuthMethod): boolean => {
  switch (method) {
    case "BasicAuth":
      return schemeOf(fields) === "basic";
    case "KeyAuth":
      return fields["x-api-key"] !== undefined;
    case "JWTAuth":
      return schemeOf(fields) === "bearer";
  }
};

/** RFC 9110 §11.1: a scheme's case doesn't matter. */
const schemeOf = (fields: ApiCall["fields"]): string =>
  (fields["authorization"] ?? "").split(" ", 1)[0]?.toLowerCase() ?? "";

const credentialsOf = (fields: ApiCall["fields"]): string =>
  (fields["authorization"] ?? "").replace(/^\S+ +/, "");

const userBy = (method: AuthMethod, call: ApiCall, appliance: Appliance): Stored | null => {
  switch (method) {
    case "BasicAuth":
      return userByPassword(call, appliance);
    case "KeyAuth":
      return userByKey(call, appliance);
    case "JWTAuth": {
      const { serverKey } = appliance.configuration;
      const name = userOfToken(credentialsOf(call.fields), serverKey, call.seconds);
      return name === null ? null : userNamed(appliance, name);
    }
  }
};

/** RFC 7617: the first colon ends the name. */
const userByPassword = (call: ApiCall, appliance: Appliance): Stored | null => {
  const pair = Buffer.from(credentialsOf(call.fields), "base64").toString("utf8");
  const colon = pair.indexOf(":");
  const user = colon === -1 ? null : userNamed(appliance, pair.slice(0, colon));
  if (user === null || isExpired(user, call.seconds)) return null;
  return isPassword(pair.slice(colon + 1), String(user["password"])) ? user : null;
};

const userByKey = (call: ApiCall, appliance: Appliance): Stored | null => {
  const given = call.fields["x-api-key"] ?? "";
  const entry = appliance.configuration.keys.find((one) => {
    const hash = Buffer.from(hashKey(String(one["hash_algo"]), given));
    const kept = Buffer.from(String(one["hash"]));
    return hash.length === kept.length && timingSafeEqual(hash, kept);
  });
  const user = entry === undefined ? null : userNamed(appliance, String(entry["username"]));
  if (user === null) return null;
  const { keysExpireWithUser } = appliance.behaviour;
  return keysExpireWithUser && isExpired(user, call.seconds) ? null : user;
};

const userNamed = ({ configuration }: Appliance, name: string): Stored | null =>
  configuration.users.find((user) => user["name"] === name) ?? null;

const DAY_SECONDS = 86_400;

/** Users have a date, `mm/dd/yyyy`, and no time: they may sign in until that day has ended, in UTC. */
const isExpired = (user: Stored, seconds: number): boolean => {
  const [, month, day, year] = /^(\d\d)\/(\d\d)\/(\d{4})$/.exec(String(user["expires"])) ?? [];
  if (month === undefined) return false;
  const midnight = Date.UTC(Number(year), Number(month) - 1, Number(day)) / 1000;
  return seconds - DAY_SECONDS > midnight;
};
