export { pfsenseAliasDescription } from "./adapter.js";
export { successOf } from "./envelope.js";
