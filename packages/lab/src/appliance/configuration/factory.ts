import type { Configuration, NetworkInterface, Stored } from "./configuration.js";

export interface FactoryOptions {
  /** Of the appliance, where it listens. */
  readonly address: string;
  /** 64 hexadecimal digits. */
  readonly serverKey: string;
  readonly users: readonly Stored[];
  readonly keys: readonly Stored[];
}

const DEFAULT_SETTINGS: Stored = {
  enabled: true,
  read_only: false,
  keep_backup: true,
  login_protection: true,
  log_successful_auth: false,
  log_level: "LOG_WARNING",
  allow_pre_releases: false,
  hateoas: false,
  expose_sensitive_fields: false,
  allowed_interfaces: [],
  represent_interfaces_as: "descr",
  auth_methods: ["BasicAuth", "KeyAuth"],
  jwt_exp: 3600,
};

/** Allows every client, as the package is installed. */
const OPEN_ACCESS: readonly Stored[] = ["0.0.0.0/0", "::/0"].map((network) => ({
  type: "allow",
  weight: 1,
  network,
  users: [],
  sched: "",
  descr: "",
}));

const DEFAULT_RULE: Stored = {
  type: "pass",
  interface: ["LAN"],
  ipprotocol: "inet",
  protocol: null,
  icmptype: null,
  source: "LAN",
  source_port: null,
  destination: "any",
  destination_port: null,
  descr: "Default allow LAN to any rule",
  disabled: false,
  log: false,
  tag: "",
  statetype: "keep state",
  gateway: null,
  floating: false,
  quick: null,
  direction: null,
  tracker: 100000101,
  associated_rule_id: null,
  created_time: 0,
  created_by: "(system)",
  updated_time: 0,
  updated_by: "(system)",
};

/** An appliance as it comes: two interfaces, one rule, no alias. */
export const factoryConfiguration = ({
  address,
  serverKey,
  users,
  keys,
}: FactoryOptions): Configuration => {
  const interfaces: readonly NetworkInterface[] = [
    { id: "wan", descr: "WAN", address: null },
    { id: "lan", descr: "LAN", address },
  ];
  return {
    system: {
      hostname: "stand-in",
      domain: "lab.invalid",
      version: "2.8.1-RELEASE",
      base: "2.8.1",
      patch: "0",
      buildtime: "stand-in",
      nextUid: 2000 + users.length,
    },
    interfaces,
    gateways: [{ name: "WAN_DHCP", ipprotocol: "inet" }],
    aliases: [],
    rules: [DEFAULT_RULE],
    portForwards: [],
    outboundMode: { mode: "automatic" },
    outboundMappings: [],
    oneToOneMappings: [],
    staticRoutes: [],
    openvpnServers: [],
    openvpnClients: [],
    users,
    keys,
    accessList: OPEN_ACCESS,
    settings: DEFAULT_SETTINGS,
    serverKey,
  };
};
