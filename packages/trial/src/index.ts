export * from "./quarantine/index.js";
export * from "./seal/index.js";
