export { createFakeAdapter } from "./adapter.js";
