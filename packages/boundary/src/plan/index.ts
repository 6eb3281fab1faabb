export { MAX_NETWORKS, MAX_NODES, MAX_PLAN_BYTES, MAX_RULES } from "./bounds.js";
export { planJsonSchema } from "./json-schema.js";
export { networkAddress, nodeAddress } from "./names.js";
export { parsePlan } from "./parse.js";
export { planDocument } from "./print.js";
export { PLAN_SCHEMA } from "./schema.js";
export { validatePlan } from "./validate.js";
