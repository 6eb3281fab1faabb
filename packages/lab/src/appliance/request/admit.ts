import { isJsonObject } from "@drydock/evidence";
import { refuse, refuseValue } from "../answer/index.js";
import type { Appliance } from "../configuration/index.js";
import type { Client } from "../field/index.js";
import type { AuthMethod } from "../model/index.js";
import { requireAccess, requireEnabled, requireInterface } from "./access.js";
import { authenticate } from "./authenticate.js";
import type { ApiCall } from "./call.js";
import { decodeContent, requireAcceptable } from "./content.js";
import { type Request, takeControls } from "./controls.js";
import { authorise } from "./privilege.js";
import { refuseWriteWhenReadOnly } from "./read-only.js";

/** As much of an endpoint as decides whether a request reaches it. */
export interface Door {
  readonly path: string;
  readonly methods: readonly string[];
  /** About many objects at once. */
  readonly many: boolean;
  /** Besides which none is accepted; null for those of the settings. */
  readonly authMethods: readonly AuthMethod[] | null;
}

export interface Admitted extends Request {
  readonly client: Client;
}

/** What the appliance's own language calls a value that should have been a list or an object. */
export class WrongShape extends Error {
  override readonly name = "WrongShape";
}

/**
 * Lets a request in, or says why not. The order is the package's: who lacks a privilege is told so
 * also when the API is read-only, and before anybody looks at what was sent.
 *
 * @throws ApiRefusal
 * @throws WrongShape for JSON that is neither object nor list, on which the package fails unforeseen
 */
export const admit = (call: ApiCall, door: Door, appliance: Appliance): Admitted => {
  const { configuration } = appliance;
  requireEnabled(configuration.settings);
  requireInterface(configuration, call.serverAddress);
  const user = authenticate(call, appliance, door.authMethods);
  authorise(user, door.path, call.method);
  const client = { username: String(user["name"]), address: call.clientAddress };
  requireAccess(configuration, client.address, client.username);
  requireAcceptable(call);
  requireMethod(call, door);
  refuseWriteWhenReadOnly(configuration.settings, door.path, call.method);
  return { client, ...readRequest(call, door, appliance) };
};

const requireMethod = ({ method }: ApiCall, { path, methods }: Door): void => {
  if (methods.includes(method)) return;
  refuse(
    405,
    "ENDPOINT_METHOD_NOT_ALLOWED",
    `Resource at ${path} does not support the requested HTTP method '${method}'`,
  );
};

const readRequest = (call: ApiCall, door: Door, { behaviour }: Appliance): Request => {
  const given = decodeContent(call);
  if (given === null || typeof given !== "object") {
    throw new WrongShape("Cannot assign a scalar to property $request_data of type array");
  }
  const replacesAll = call.method === "PUT" && door.many;
  if (replacesAll && isJsonObject(given) && Object.keys(given).length > 0) {
    return refuseValue(
      "ENDPOINT_REQUEST_DATA_MUST_BE_INDEXED_ARRAY",
      "PUT requests to 'many' endpoints must contain an indexed array of objects to replace.",
    );
  }
  return takeControls(given as Request["data"], call.fields, behaviour);
};
