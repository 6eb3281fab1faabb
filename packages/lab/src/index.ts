/** The disposable appliance, its preflight, and the scenarios that rehearse a change on it. */
export * from "./appliance/index.js";
