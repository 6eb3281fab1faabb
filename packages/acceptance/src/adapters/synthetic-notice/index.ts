export { syntheticNotice } from "./adapter.js";
