export { QmpClient, type QmpEvent } from "./client.js";
export * from "./commands.js";
