export { createLab } from "./sdk/create-lab.js";
export type * from "./sdk/types.js";
