export { createLab } from "./sdk/lab.js";
export type * from "./sdk/types.js";
