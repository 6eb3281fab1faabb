import type { Appliance } from "../configuration/index.js";
import {
  accessListModel,
  aliasModel,
  issueKey,
  keyModel,
  oneToOneModel,
  openvpnClientModel,
  openvpnServerModel,
  outboundMappingModel,
  outboundModeFields,
  portForwardModel,
  ruleModel,
  settingsFields,
  staticRouteModel,
  userModel,
} from "../model/index.js";
import { ALL_PRIVILEGES, privilegeOf } from "../request/index.js";
import { type Alone, readAlone, updateAlone } from "./alone.js";
import { type Endpoint, endpoint, endpointsOf } from "./endpoint.js";
import { deleteMany, readMany } from "./many.js";
import { createOne, deleteOne } from "./single.js";
import {
  applyFirewall,
  applyRouting,
  createToken,
  deleteRevision,
  deleteRevisions,
  readApiVersion,
  readFirewallApply,
  readRevision,
  readRevisions,
  readRoutingApply,
  readSystemVersion,
} from "./system.js";

const SETTINGS: Alone = {
  part: "settings",
  name: "REST API Settings",
  subsystem: null,
  fields: settingsFields,
};

const OUTBOUND_MODE: Alone = {
  part: "outboundMode",
  name: "Outbound NAT Mode",
  subsystem: "natconf",
  fields: outboundModeFields,
};

/** The next user gets another number, also after this one was deleted. */
const countUser = (appliance: Appliance): Appliance => {
  const { system } = appliance.configuration;
  return {
    ...appliance,
    configuration: {
      ...appliance.configuration,
      system: { ...system, nextUid: system.nextUid + 1 },
    },
  };
};

/** Who makes or takes away a key proves it by password: a key can't make another. */
const BY_PASSWORD = { authMethods: ["BasicAuth"] } as const;

/** Every endpoint that this stand-in has, of some two hundred and sixty that the package has. */
export const ENDPOINTS: readonly Endpoint[] = [
  ...endpointsOf(aliasModel, "/firewall/alias", "/firewall/aliases"),
  ...endpointsOf(ruleModel, "/firewall/rule", "/firewall/rules"),
  ...endpointsOf(portForwardModel, "/firewall/nat/port_forward", "/firewall/nat/port_forwards"),
  ...endpointsOf(
    outboundMappingModel,
    "/firewall/nat/outbound/mapping",
    "/firewall/nat/outbound/mappings",
  ),
  endpoint("/firewall/nat/outbound/mode", {
    GET: readAlone(OUTBOUND_MODE),
    PATCH: updateAlone(OUTBOUND_MODE),
  }),
  ...endpointsOf(
    oneToOneModel,
    "/firewall/nat/one_to_one/mapping",
    "/firewall/nat/one_to_one/mappings",
  ),
  endpoint("/firewall/apply", { GET: readFirewallApply, POST: applyFirewall }),
  ...endpointsOf(staticRouteModel, "/routing/static_route", "/routing/static_routes"),
  endpoint("/routing/apply", { GET: readRoutingApply, POST: applyRouting }),
  ...endpointsOf(openvpnServerModel, "/vpn/openvpn/server", "/vpn/openvpn/servers"),
  ...endpointsOf(openvpnClientModel, "/vpn/openvpn/client", "/vpn/openvpn/clients"),
  endpoint("/system/version", { GET: readSystemVersion }),
  endpoint("/system/restapi/version", { GET: readApiVersion, PATCH: readApiVersion }),
  endpoint("/system/restapi/settings", { GET: readAlone(SETTINGS), PATCH: updateAlone(SETTINGS) }),
  ...endpointsOf(
    accessListModel,
    "/system/restapi/access_list/entry",
    "/system/restapi/access_list",
  ),
  endpoint("/diagnostics/config_history/revision", {
    GET: readRevision,
    DELETE: deleteRevision,
  }),
  endpoint(
    "/diagnostics/config_history/revisions",
    { GET: readRevisions, DELETE: deleteRevisions },
    { many: true },
  ),
  ...endpointsOf(userModel(isPrivilege), "/user", "/users", { besides: countUser }),
  endpoint(
    "/auth/key",
    {
      POST: createOne(keyModel, {
        extend: (object, { entropy }) => {
          const { key, entry } = issueKey(object, entropy);
          return { object: entry, shown: { key } };
        },
      }),
      DELETE: deleteOne(keyModel),
    },
    BY_PASSWORD,
  ),
  endpoint("/auth/keys", { GET: readMany(keyModel), DELETE: deleteMany(keyModel) }, { many: true }),
  endpoint("/auth/jwt", { POST: createToken }, BY_PASSWORD),
];

const byPath = new Map(ENDPOINTS.map((one) => [one.path, one]));

export const endpointAt = (path: string): Endpoint | null => byPath.get(path) ?? null;

/** A function, and not a set made here: the list of users asks for it while the table is made. */
function isPrivilege(name: string): boolean {
  return (
    name === ALL_PRIVILEGES ||
    ENDPOINTS.some(({ path, methods }) =>
      methods.some((method) => privilegeOf(path, method) === name),
    )
  );
}
