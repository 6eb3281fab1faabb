/** For tests of other folders and rooms: one appliance with three scenario networks and six nodes. */
export { plans, policies } from "./arbitrary.js";
export { boundPlatform, boundScenario, plan, policy } from "./bound.js";
export { edited, REPLACEMENTS, reordered } from "./edits.js";
export { type EngineLab, startEngineLab } from "./engine-lab.js";
export { PLAN_FILE } from "./plan-file.js";
export { platformFile } from "./platform-file.js";
export { POLICY_FILE } from "./policy-file.js";
export { cidr, container, ipv4, network, topology } from "./topology.js";
