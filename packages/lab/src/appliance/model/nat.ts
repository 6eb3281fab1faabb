import { refuseValue } from "../answer/index.js";
import type { Stored } from "../configuration/index.js";
import {
  filterAddress,
  flag,
  integer,
  interfaceName,
  type Model,
  parseIp,
  parseSubnet,
  port,
  remark,
  specialNetwork,
  text,
} from "../field/index.js";
import { PORT_PROTOCOLS } from "./rule.js";
import { stamps } from "./stamps.js";

const NAT_PROTOCOLS = [
  "tcp",
  "udp",
  "tcp/udp",
  "icmp",
  "esp",
  "ah",
  "gre",
  "ipv6",
  "igmp",
  "pim",
  "ospf",
];

/** The address that traffic goes to instead: an IP, an alias or an interface's own address. */
const target = specialNetwork("target", { subnet: false, interface: false }, { required: true });

export const portForwardModel: Model = {
  list: "portForwards",
  names: ["Port Forward", "Port Forwards"],
  subsystem: "natconf",
  fields: [
    interfaceName("interface", { required: true }),
    text("ipprotocol", { fallback: "inet", choices: ["inet", "inet6", "inet46"] }),
    text("protocol", { required: true, choices: ["any", ...NAT_PROTOCOLS] }),
    filterAddress("source", {}, { required: true }),
    port("source_port", {}, { allowNull: true, conditions: { protocol: PORT_PROTOCOLS } }),
    filterAddress("destination", {}, { required: true }),
    port("destination_port", {}, { allowNull: true, conditions: { protocol: PORT_PROTOCOLS } }),
    target,
    port(
      "local_port",
      { range: false },
      { required: true, conditions: { protocol: PORT_PROTOCOLS } },
    ),
    flag("disabled", false),
    flag("nordr", false),
    flag("nosync", false),
    remark("descr"),
    text("natreflection", { allowNull: true, choices: ["enable", "disable", "purenat"] }),
    // The package can make a rule besides, with `new`. This stand-in doesn't, and takes no such value.
    text("associated_rule_id", { fallback: "", allowEmpty: true, choices: ["", "pass"] }),
    ...stamps,
  ],
};

const outboundAddress = { ip: false, interfaceIp: false } as const;

export const outboundMappingModel: Model = {
  list: "outboundMappings",
  names: ["Outbound NAT Mapping", "Outbound NAT Mappings"],
  subsystem: "natconf",
  fields: [
    interfaceName("interface", { required: true }),
    text("protocol", { allowNull: true, choices: NAT_PROTOCOLS }),
    flag("disabled", false),
    flag("nonat", false),
    flag("nosync", false),
    filterAddress("source", { ...outboundAddress, invert: false }, { required: true }),
    port("source_port", {}, { allowNull: true }),
    filterAddress("destination", { ...outboundAddress, self: false }, { required: true }),
    port("destination_port", {}, { allowNull: true }),
    { ...target, conditions: { nonat: [false] } },
    integer("target_subnet", { fallback: 128, range: [1, 128], conditions: { nonat: [false] } }),
    flag("static_nat_port", false, { conditions: { nonat: [false] } }),
    port(
      "nat_port",
      { alias: false },
      {
        fallback: "",
        allowEmpty: true,
        conditions: { static_nat_port: [false], nonat: [false] },
      },
    ),
    text("poolopts", {
      allowNull: true,
      choices: [
        "round-robin",
        "round-robin sticky-address",
        "random",
        "random sticky-address",
        "bitmask",
      ],
      conditions: { nonat: [false] },
    }),
    remark("descr"),
  ],
  finish: (object) => {
    const address = parseIp(String(object["target"]));
    const bits = object["target_subnet"];
    if (address?.family === 4 && typeof bits === "number" && bits > 32) {
      refuseValue(
        "OUTBOUND_NAT_MAPPING_TARGET_SUBNET_TOO_LARGE_FOR_IPV4",
        "Field `target_subnet` must be 32 or less when `target` is an IPv4 address.",
      );
    }
    return object;
  },
};

const oneToOneAddress = { self: false } as const;

export const oneToOneModel: Model = {
  list: "oneToOneMappings",
  names: ["1:1 NAT mapping", "1:1 NAT mappings"],
  subsystem: "natconf",
  fields: [
    interfaceName("interface", { required: true }),
    flag("disabled", false),
    flag("nobinat", false),
    text("natreflection", { allowNull: true, choices: ["enable", "disable"] }),
    text("ipprotocol", { fallback: "inet", choices: ["inet", "inet6"] }),
    specialNetwork(
      "external",
      { subnet: false, alias: false, interface: false },
      { required: true },
    ),
    // Of the three only the destination may be an alias.
    filterAddress("source", { ...oneToOneAddress, alias: false }, { required: true }),
    filterAddress("destination", oneToOneAddress, { required: true }),
    remark("descr"),
  ],
  finish: (object) => {
    for (const name of ["external", "source", "destination"]) refuseOtherFamily(object, name);
    return object;
  },
};

const refuseOtherFamily = (object: Stored, name: string): void => {
  const value = String(object[name]).replace(/^!/, "");
  const family = (parseIp(value) ?? parseSubnet(value)?.address)?.family;
  if (family === undefined || family === (object["ipprotocol"] === "inet6" ? 6 : 4)) return;
  refuseValue(
    `ONE_TO_ONE_NAT_MAPPING_${name.toUpperCase()}_IP_DOES_NOT_MATCH_IPPROTOCOL`,
    `Field \`${name}\` is not an IP address of the IP family assigned in \`ipprotocol\`.`,
  );
};
