export { parseAppliancePolicy } from "./parse.js";
export { policyDocument } from "./print.js";
export { appliancePolicyJsonSchema, HOST_MCP_CONTRACT, POLICY_SCHEMA } from "./schema.js";
export { formatSelector, RESERVED_LABEL_PREFIX, selects } from "./selector.js";
