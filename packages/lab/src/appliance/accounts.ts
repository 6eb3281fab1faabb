import type { Stored } from "./configuration/index.js";
import { hashKey, hashPassword } from "./model/index.js";

/** Somebody who may use the API, as the appliance is set up with them. */
export interface Account {
  readonly name: string;
  /** For Basic authentication. Random and long: it is hashed once. */
  readonly password: string;
  /** Such as `api-v2-firewall-alias-patch`; `page-all` is all. */
  readonly privileges: readonly string[];
  /** `mm/dd/yyyy`; never unless given. */
  readonly expires?: string;
  /** API keys of this account. */
  readonly keys?: readonly string[];
}

const FIRST_UID = 2000;

/** @param random gives that many unguessable bytes, for salts */
export const usersOf = (
  accounts: readonly Account[],
  random: (length: number) => Uint8Array,
): readonly Stored[] =>
  accounts.map(({ name, password, privileges, expires = "" }, index) => ({
    name,
    password: hashPassword(password, random(16)),
    uid: FIRST_UID + index,
    scope: "user",
    priv: privileges,
    disabled: false,
    descr: "",
    expires,
  }));

export const keysOf = (accounts: readonly Account[]): readonly Stored[] =>
  accounts.flatMap(({ name, keys = [] }) =>
    keys.map((key) => ({
      descr: "",
      username: name,
      hash_algo: "sha256",
      length_bytes: 24,
      hash: hashKey("sha256", key),
    })),
  );
