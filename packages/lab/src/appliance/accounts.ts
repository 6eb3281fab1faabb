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

/** What preflight reads, and what proves a change: no other account is needed for either. */
const LAB_READS = [
  "diagnostics-config-history-revisions",
  "firewall-alias",
  "firewall-aliases",
  "firewall-apply",
  "firewall-nat-one-to-one-mappings",
  "firewall-nat-outbound-mappings",
  "firewall-nat-outbound-mode",
  "firewall-nat-port-forwards",
  "firewall-rules",
  "routing-static-routes",
  "system-restapi-settings",
  "system-restapi-version",
  "system-version",
  "vpn-openvpn-clients",
  "vpn-openvpn-servers",
].map((name) => `api-v2-${name}-get`);

export interface LabSecrets {
  readonly admin: string;
  readonly supervisor: string;
  readonly lab: string;
  readonly labKey: string;
}

/**
 * Three accounts, each for one purpose: the administrator sets things up; the supervisor takes
 * permissions away and makes the API read-only, and can change nothing else; the lab's key reads, and
 * has the one permission that is rehearsed.
 */
export const labAccounts = ({ admin, supervisor, lab, labKey }: LabSecrets): readonly Account[] => [
  { name: "admin", password: admin, privileges: ["page-all"] },
  {
    name: "supervisor",
    password: supervisor,
    privileges: [
      "api-v2-users-get",
      "api-v2-user-patch",
      "api-v2-auth-keys-get",
      "api-v2-auth-key-delete",
      "api-v2-system-restapi-settings-get",
      "api-v2-system-restapi-settings-patch",
    ],
  },
  {
    name: "lab",
    password: lab,
    privileges: [...LAB_READS, "api-v2-firewall-alias-patch"],
    keys: [labKey],
  },
];
