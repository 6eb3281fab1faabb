import { refuseValue } from "../answer/index.js";
import {
  flag,
  integer,
  interfaceName,
  type Model,
  parseSubnet,
  port,
  remark,
  subnet,
  text,
} from "../field/index.js";

export const staticRouteModel: Model = {
  list: "staticRoutes",
  names: ["Static Route", "Static Routes"],
  subsystem: "staticroutes",
  fields: [
    subnet("network", { alias: true, families: [4, 6] }, { required: true }),
    text("gateway", {
      required: true,
      verify: (name, { object, configuration }) => {
        const gateway = configuration.gateways.find((one) => one.name === name);
        if (gateway === undefined) {
          return refuseValue(
            "FOREIGN_MODEL_FIELD_VALUE_NOT_FOUND",
            `No gateway \`${String(name)}\` exists.`,
          );
        }
        // Of an alias the family isn't known.
        const family = parseSubnet(String(object["network"]))?.address.family;
        if (family === undefined || family === (gateway.ipprotocol === "inet" ? 4 : 6)) return;
        const other = gateway.ipprotocol === "inet" ? "IPV4" : "IPV6";
        refuseValue(
          `STATIC_ROUTE_NON_${other}_NETWORK_WITH_${other}_GATEWAY`,
          "The `network` and the `gateway` are of different families.",
        );
      },
    }),
    remark("descr"),
    flag("disabled", false),
  ],
};

const networks = (name: string, family: 4 | 6) =>
  subnet(
    name,
    { alias: true, families: [family] },
    { fallback: [], allowEmpty: true, many: { delimiter: ",", minimum: 0 } },
  );

const tunnels = [
  subnet("tunnel_network", { alias: false, families: [4] }, { fallback: "", allowEmpty: true }),
  subnet("tunnel_networkv6", { alias: false, families: [6] }, { fallback: "", allowEmpty: true }),
];

const transport = [
  remark("description"),
  flag("disable", false),
  text("mode", {
    required: true,
    choices: ["p2p_tls", "server_tls", "server_user", "server_tls_user"],
  }),
  text("dev_mode", { required: true, choices: ["tun", "tap"] }),
  text("protocol", { required: true, choices: ["UDP4", "UDP6", "UDP", "TCP4", "TCP6", "TCP"] }),
  interfaceName("interface", { required: true }),
];

const vpnId = (list: "openvpnServers" | "openvpnClients") =>
  integer("vpnid", {
    automatic: {
      renewed: false,
      value: ({ configuration }) =>
        1 + Math.max(0, ...configuration[list].map(({ vpnid }) => Number(vpnid))),
    },
  });

/** Where a network is named, and little else of what these have. */
export const openvpnServerModel: Model = {
  list: "openvpnServers",
  names: ["OpenVPN Server", "OpenVPN Servers"],
  subsystem: null,
  alwaysApply: true,
  fields: [
    vpnId("openvpnServers"),
    ...transport,
    port("local_port", { alias: false, range: false }, { fallback: "1194", unique: true }),
    ...tunnels,
    networks("local_network", 4),
    networks("local_networkv6", 6),
    networks("remote_network", 4),
    networks("remote_networkv6", 6),
  ],
};

export const openvpnClientModel: Model = {
  list: "openvpnClients",
  names: ["OpenVPN Client", "OpenVPN Clients"],
  subsystem: null,
  alwaysApply: true,
  fields: [
    vpnId("openvpnClients"),
    ...transport,
    text("server_addr", { required: true }),
    port("server_port", { alias: false, range: false }, { fallback: "1194" }),
    ...tunnels,
    networks("remote_network", 4),
    networks("remote_networkv6", 6),
  ],
};
