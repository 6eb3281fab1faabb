import type { Cidr, Ipv4 } from "./ipv4.js";

/** One container's place on one network, as engine and kernel showed it. */
export interface ObservedEndpoint {
  /** Engine's id of the network. */
  readonly network: string;
  readonly ipv4: Ipv4 | null;
  readonly hasIpv6: boolean;
  /** Lower case, colons. */
  readonly mac: string | null;
  /** The bridge's port in the appliance's namespace; null while the container doesn't run. */
  readonly port: string | null;
}

export interface ObservedContainer {
  /** 64 hex digits. */
  readonly id: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Image id, `sha256:…`. */
  readonly image: string;
  readonly running: boolean;
  readonly endpoints: readonly ObservedEndpoint[];
  /** Loopback ports that the engine publishes for it. */
  readonly publications: readonly {
    readonly address: string;
    readonly port: number;
    readonly protocol: "tcp" | "udp";
    readonly target: number;
  }[];
}

export interface ObservedNetwork {
  readonly id: string;
  readonly name: string;
  readonly driver: string;
  /** Interface name, at most 15 bytes. */
  readonly bridge: string | null;
  readonly ipv4: Cidr | null;
  readonly gateway: Ipv4 | null;
  readonly hasIpv6: boolean;
  readonly labels: Readonly<Record<string, string>>;
}

/** Everything that engine and kernel showed at one time. */
export interface ObservedTopology {
  /** /proc/sys/kernel/random/boot_id. */
  readonly bootId: string;
  /** The engine's id of itself. */
  readonly daemonId: string;
  readonly networks: readonly ObservedNetwork[];
  readonly containers: readonly ObservedContainer[];
}
