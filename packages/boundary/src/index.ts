export * from "./bind/index.js";
export { BOUNDARY_CODES, type BoundaryCode } from "./codes.js";
export * from "./compile/index.js";
export * from "./model/index.js";
export * from "./plan/index.js";
export * from "./policy/index.js";
export * from "./readback/index.js";
export * from "./release/index.js";
export * from "./ruleset/index.js";
