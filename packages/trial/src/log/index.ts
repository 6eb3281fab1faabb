export { type LogHead, ProcessLog } from "./process-log.js";
