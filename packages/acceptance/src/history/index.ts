export { HISTORY_SOURCES, historySourceOf } from "./sources.js";
