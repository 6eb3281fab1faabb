export { type Direction, tap } from "./tap.js";
export { watchConnection } from "./watch-connection.js";
