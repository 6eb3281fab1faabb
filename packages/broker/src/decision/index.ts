export { REASONS, type Reason, type Stage } from "./reason.js";
