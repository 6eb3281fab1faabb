/** The disposable appliance, its preflight, and the scenarios that rehearse a change on it. */
export * from "./appliance/index.js";
export * from "./approval/index.js";
export * from "./attestation/index.js";
export * from "./configuration/index.js";
export * from "./exit/index.js";
export * from "./harness/index.js";
export * from "./preflight/index.js";
export * from "./report/index.js";
export * from "./scenario/index.js";
export * from "./supervisor/index.js";
export * from "./target/index.js";
export * from "./transport/index.js";
