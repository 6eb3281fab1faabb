export type { Endpoint } from "./endpoint.js";
export type { Effect } from "./handler.js";
export { ENDPOINTS, endpointAt } from "./table.js";
