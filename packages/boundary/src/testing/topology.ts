import {
  type Ipv4,
  type ObservedContainer,
  type ObservedEndpoint,
  type ObservedNetwork,
  type ObservedTopology,
  parseCidr,
  parseIpv4,
} from "../model/index.js";

export const ipv4 = (text: string): Ipv4 => known(parseIpv4(text), text);

export const cidr = (text: string) => known(parseCidr(text), text);

const known = <T>(value: T | null, text: string): T => {
  if (value === null) throw new Error(`the fixture says ${text}`);
  return value;
};

/** 64 hex digits that say whose they are. */
const idOf = (name: string): string => Buffer.from(name).toString("hex").padEnd(64, "0");

/** As the engine gives them when nobody asked for another: 02:42 and the address. */
const macOf = (address: Ipv4): string =>
  [2, 0x42, ...[24, 16, 8, 0].map((shift) => (address >>> shift) & 255)]
    .map((octet) => octet.toString(16).padStart(2, "0"))
    .join(":");

export const network = (
  name: string,
  block: string,
  labels: Readonly<Record<string, string>>,
): ObservedNetwork => ({
  id: idOf(name),
  name,
  driver: "bridge",
  bridge: `br-${name}`.slice(0, 15),
  ipv4: cidr(block),
  gateway: cidr(block).base + 1,
  hasIpv6: false,
  labels,
});

export const container = (
  name: string,
  places: readonly (readonly [network: string, address: string])[],
  labels: Readonly<Record<string, string>>,
  publications: ObservedContainer["publications"] = [],
): ObservedContainer => ({
  id: idOf(name),
  name,
  labels,
  image: `sha256:${"1".repeat(64)}`,
  running: true,
  endpoints: places.map(([on, address], index) => endpoint(name, on, address, index)),
  publications,
});

const endpoint = (
  holder: string,
  on: string,
  address: string,
  index: number,
): ObservedEndpoint => ({
  network: idOf(on),
  ipv4: ipv4(address),
  hasIpv6: false,
  mac: macOf(ipv4(address)),
  port: `v${index}${holder}`.slice(0, 15),
});

const scenario = (kind: "network" | "node", name: string) => ({
  "dev.drydock.plan-address": `provision.${kind}.${name}`,
});

/** What the fixture's plan and policy look like once they run. */
export const topology: ObservedTopology = {
  bootId: "6f0c4ad1-3a0e-4f5e-9d0e-2f8f2a1f1c11",
  daemonId: "4b3f1c9e-7d43-4a5b-8a9e-0a7c6c1a2b3d",
  networks: [
    network("lan", "10.60.1.0/24", scenario("network", "lan")),
    network("dmz", "10.60.2.0/24", scenario("network", "dmz")),
    network("wan", "10.60.3.0/24", scenario("network", "wan")),
    network("participant", "10.99.1.0/24", { "x.net": "participant" }),
    network("management", "10.99.2.0/24", { "x.net": "management" }),
    network("egress", "10.99.3.0/24", { "x.net": "egress" }),
  ],
  containers: [
    container("web", [["dmz", "10.60.2.8"]], scenario("node", "web")),
    container("database", [["lan", "10.60.1.10"]], scenario("node", "database")),
    container("mail", [["dmz", "10.60.2.9"]], scenario("node", "mail")),
    container("workstation", [["lan", "10.60.1.20"]], scenario("node", "workstation")),
    container("attacker", [["wan", "10.60.3.66"]], scenario("node", "attacker")),
    container(
      "sensor",
      [
        ["lan", "10.60.1.30"],
        ["dmz", "10.60.2.30"],
      ],
      scenario("node", "sensor"),
    ),
    container(
      "gate",
      [
        ["participant", "10.99.1.10"],
        ["management", "10.99.2.10"],
      ],
      { "x.zone": "participant" },
      [{ address: "127.0.0.1", port: 3000, protocol: "tcp", target: 8080 }],
    ),
    container("manager", [["management", "10.99.2.20"]], { "x.zone": "management" }, [
      { address: "127.0.0.1", port: 8400, protocol: "tcp", target: 8400 },
    ]),
    container(
      "broker",
      [
        ["management", "10.99.2.30"],
        ["egress", "10.99.3.30"],
      ],
      { "x.zone": "egress" },
    ),
  ],
};
