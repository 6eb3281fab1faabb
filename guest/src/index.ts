export { AGENT_VERSION, runAgent } from "./agent/agent.js";
export type { Facts, Platform, Running } from "./agent/platform.js";
