export * from "./seal/index.js";
