import type { JsonValue } from "@drydock/evidence";

/** One stored object, by the names that the API shows its fields under. Its id is its position. */
export type Stored = Readonly<Record<string, JsonValue>>;

/** What can have changes that aren't applied yet. */
export const FIREWALL_SUBSYSTEMS = ["aliases", "natconf", "filter", "shaper"] as const;
export type Subsystem = (typeof FIREWALL_SUBSYSTEMS)[number] | "staticroutes";

export interface NetworkInterface {
  /** Internal: wan, lan, opt1. */
  readonly id: string;
  /** By which the API names it. */
  readonly descr: string;
  /** Of this appliance on it; null where it has none. */
  readonly address: string | null;
}

/** Lists whose objects have ids. */
export const LISTS = [
  "aliases",
  "rules",
  "portForwards",
  "outboundMappings",
  "oneToOneMappings",
  "staticRoutes",
  "openvpnServers",
  "openvpnClients",
  "users",
  "keys",
  "accessList",
] as const;
export type ListName = (typeof LISTS)[number];

/** Everything that an appliance's configuration file holds, as far as this stand-in has it. */
export interface Configuration extends Readonly<Record<ListName, readonly Stored[]>> {
  readonly system: {
    readonly hostname: string;
    readonly domain: string;
    readonly version: string;
    readonly base: string;
    readonly patch: string;
    readonly buildtime: string;
    readonly nextUid: number;
  };
  readonly interfaces: readonly NetworkInterface[];
  readonly gateways: readonly { readonly name: string; readonly ipprotocol: "inet" | "inet6" }[];
  readonly outboundMode: Stored;
  readonly settings: Stored;
  /** Signs bearer tokens. */
  readonly serverKey: string;
}

/** One entry of the configuration history. */
export interface Revision {
  /** Seconds since 1970. */
  readonly time: number;
  readonly description: string;
  readonly version: string;
  /** Bytes. */
  readonly filesize: number;
}

/** How this stand-in is to behave where versions and appliances differ. */
export interface Behaviour {
  /** Of the package, such as "2.10.0". Before 2.8.0, `dry_run` is an unknown key. */
  readonly apiVersion: string;
  /**
   * Whether a key stops working when its user's date has passed. The package asks only whether the
   * user is disabled, so that a lab's last line of defence must not rest on the date.
   */
  readonly keysExpireWithUser: boolean;
}

export interface Appliance {
  readonly behaviour: Behaviour;
  readonly configuration: Configuration;
  /** The newest first. */
  readonly history: readonly Revision[];
  /** With changes that aren't applied. Kept in memory: a restart loads the rules anew. */
  readonly pending: readonly Subsystem[];
  /** Somebody else is writing the configuration file. */
  readonly writeLocked: boolean;
}
