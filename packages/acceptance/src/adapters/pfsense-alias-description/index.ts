export { pfsenseAliasDescription } from "./adapter.js";
