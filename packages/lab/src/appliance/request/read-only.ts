import { refuse } from "../answer/index.js";
import type { Stored } from "../configuration/index.js";

/**
 * A guard: while the API is read-only, GET is all it does. The setting itself is behind a PATCH, so
 * that a client can turn it on and never off.
 *
 * @throws ApiRefusal ENDPOINT_METHOD_NOT_ALLOWED_IN_READ_ONLY_MODE
 */
export const refuseWriteWhenReadOnly = (settings: Stored, path: string, method: string): void => {
  if (settings["read_only"] !== true || method === "GET") return;
  refuse(
    405,
    "ENDPOINT_METHOD_NOT_ALLOWED_IN_READ_ONLY_MODE",
    `Resource at ${path} cannot support the requested HTTP method \`${method}\` because the REST API is currently in read-only mode.`,
  );
};
