export { QmpClient, type QmpEvent } from "./client.js";
export * from "./commands.js";
export { MAX_FRAME_BYTES, type QmpObject, type QmpValue } from "./decode.js";
