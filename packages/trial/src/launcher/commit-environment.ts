import { createHmac } from "node:crypto";
import { canonicalBytes } from "@drydock/evidence";
import { PROXY_ENVIRONMENT } from "./proxy-environment.js";

/** What a command that isn't given another gets: nothing of the host's. */
const DEFAULT_ENVIRONMENT: Readonly<Record<string, string>> = {
  PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
  HOME: "/home/lab",
  LANG: "C.UTF-8",
  TERM: "dumb",
};

export interface EnvironmentOptions {
  readonly proxied: boolean;
  /** Variables that name the certificates of the run. */
  readonly trust: Readonly<Record<string, string>>;
}

/**
 * All that a command finds in its environment but what is the run's own, which the controller adds:
 * placeholders of secrets and canaries, new for each run. The agent in the guest adds nothing.
 */
export const effectiveEnvironment = (
  given: Readonly<Record<string, string>> = {},
  { proxied, trust }: EnvironmentOptions = { proxied: false, trust: {} },
): Readonly<Record<string, string>> => ({
  ...DEFAULT_ENVIRONMENT,
  ...(proxied ? PROXY_ENVIRONMENT : {}),
  ...trust,
  ...given,
});

/** In the place of values of the run's own: with those no two runs would be of one experiment. */
const OWN_VALUE = "(of the run's own)";

/** What an environment is committed as. */
export const committedEnvironment = (
  environment: Readonly<Record<string, string>>,
  own: readonly string[],
): Readonly<Record<string, string>> => ({
  ...environment,
  ...Object.fromEntries(own.map((name) => [name, OWN_VALUE])),
});

/** Keeps these bytes apart from whatever else a key like this may authenticate one day. */
const DOMAIN = "drydock.dev/environment/v1\n";

/**
 * Binds a manifest to an environment without saying anything of it, its length included: values may
 * be secrets, and a short one could be guessed from a digest that anybody can compute. Without the
 * key, which is no part of the evidence, nobody can.
 *
 * @param key 32 bytes, the same for all runs of an installation: two runs with the same environment
 * have to be attempts of one experiment.
 */
export const commitEnvironment = (
  key: Uint8Array,
  environment: Readonly<Record<string, string>>,
): string =>
  `hmac-sha256:${createHmac("sha256", key).update(DOMAIN).update(canonicalBytes(environment)).digest("hex")}`;
