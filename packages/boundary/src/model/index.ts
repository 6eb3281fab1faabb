export * from "./bound.js";
export * from "./flow.js";
export * from "./ipv4.js";
export * from "./plan.js";
export * from "./policy.js";
export * from "./ruleset.js";
export * from "./special-ranges.js";
export * from "./topology.js";
