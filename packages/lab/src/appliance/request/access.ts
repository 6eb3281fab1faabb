import { refuse } from "../answer/index.js";
import type { Configuration, Stored } from "../configuration/index.js";
import { isInSubnet, parseIp, parseSubnet } from "../field/index.js";

const POLICY = "The requested action is not allowed by admin policy";

/** @throws ApiRefusal ENDPOINT_REST_API_IS_NOT_ENABLED */
export const requireEnabled = (settings: Stored): void => {
  if (settings["enabled"] !== true) {
    refuse(503, "ENDPOINT_REST_API_IS_NOT_ENABLED", "The REST API is currently not enabled.");
  }
};

/** @throws ApiRefusal ENDPOINT_INTERFACE_NOT_ALLOWED */
export const requireInterface = (
  { settings, interfaces }: Configuration,
  serverAddress: string,
): void => {
  const allowed = settings["allowed_interfaces"];
  if (!Array.isArray(allowed) || allowed.length === 0) return;
  const answers = interfaces.some(
    ({ descr, address }) => allowed.includes(descr) && address === serverAddress,
  );
  if (!answers) refuse(403, "ENDPOINT_INTERFACE_NOT_ALLOWED", POLICY);
};

/** @throws ApiRefusal ENDPOINT_CLIENT_NOT_ALLOWED_BY_ACL; also when no entry is about the client */
export const requireAccess = (
  { accessList }: Configuration,
  clientAddress: string,
  username: string,
): void => {
  const client = parseIp(clientAddress);
  const entry = accessList.find(({ network, users }) => {
    const subnet = parseSubnet(String(network));
    const about = Array.isArray(users) && (users.length === 0 || users.includes(username));
    return client !== null && subnet !== null && isInSubnet(client, subnet) && about;
  });
  if (entry?.["type"] !== "allow") refuse(403, "ENDPOINT_CLIENT_NOT_ALLOWED_BY_ACL", POLICY);
};
