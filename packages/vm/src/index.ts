export * from "./image/index.js";
export { buildNative, ensureNative } from "./native/ensure.js";
export { openStore, type Store } from "./store/index.js";
