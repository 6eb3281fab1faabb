import { refuseValue } from "../answer/index.js";
import {
  filterAddress,
  flag,
  integer,
  interfaceName,
  type Model,
  port,
  remark,
  text,
} from "../field/index.js";
import { stamps } from "./stamps.js";

const PROTOCOLS = [
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
  "carp",
  "pfsync",
];
/** Those that have ports. */
export const PORT_PROTOCOLS = ["tcp", "udp", "tcp/udp"];

/**
 * A change of a rule marks nothing as pending: the package names no subsystem for them.
 */
export const ruleModel: Model = {
  list: "rules",
  names: ["Firewall Rule", "Firewall Rules"],
  subsystem: null,
  minimum: 1,
  fields: [
    text("type", { required: true, choices: ["pass", "block", "reject"] }),
    {
      ...interfaceName("interface", { required: true, many: { delimiter: ",", minimum: 1 } }, [
        "any",
      ]),
      verify: (_interface, { object }) => {
        const { interface: interfaces, floating } = object;
        if (floating !== true && Array.isArray(interfaces) && interfaces.length > 1) {
          refuseValue(
            "FIREWALL_RULE_MULTIPLE_INTERFACE_WITHOUT_FLOATING",
            "Field `interface` cannot contain more than one value unless `floating` is enabled.",
          );
        }
      },
    },
    text("ipprotocol", { required: true, choices: ["inet", "inet6", "inet46"] }),
    text("protocol", { allowNull: true, choices: PROTOCOLS }),
    text("icmptype", {
      fallback: ["any"],
      many: { delimiter: ",", minimum: 0 },
      choices: ["any", "echorep", "echoreq", "redir", "timex", "unreach"],
      conditions: { protocol: ["icmp"] },
    }),
    filterAddress("source", {}, { required: true }),
    port("source_port", {}, { allowNull: true, conditions: { protocol: PORT_PROTOCOLS } }),
    filterAddress("destination", {}, { required: true }),
    port("destination_port", {}, { allowNull: true, conditions: { protocol: PORT_PROTOCOLS } }),
    remark("descr"),
    flag("disabled", false),
    flag("log", false),
    remark("tag"),
    {
      ...text("statetype", {
        fallback: "keep state",
        choices: ["keep state", "sloppy state", "synproxy state", "none"],
      }),
      verify: (statetype, { object }) => {
        if (statetype === "synproxy state" && object["protocol"] !== "tcp") {
          refuseValue(
            "FIREWALL_RULE_SYNPROXY_STATE_TYPE_WITH_NON_TCP_PROTOCOL",
            "Field `statetype` cannot be set to `synproxy state` unless `protocol` is set to `tcp`.",
          );
        }
      },
    },
    text("gateway", {
      allowNull: true,
      check: (name, { configuration }) => {
        if (!configuration.gateways.some((gateway) => gateway.name === name)) {
          refuseValue("FOREIGN_MODEL_FIELD_VALUE_NOT_FOUND", `No gateway \`${name}\` exists.`);
        }
      },
    }),
    flag("floating", false, { editable: false }),
    flag("quick", false, { conditions: { floating: [true] } }),
    text("direction", {
      fallback: "any",
      choices: ["any", "in", "out"],
      conditions: { floating: [true] },
    }),
    integer("tracker", { automatic: { renewed: false, value: ({ seconds }) => seconds } }),
    text("associated_rule_id", {
      automatic: {
        renewed: false,
        value: ({ initial }) => initial?.["associated_rule_id"] ?? null,
      },
    }),
    ...stamps,
  ],
};
