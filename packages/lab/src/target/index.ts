export { isLabAddress, isLabName } from "./allow-list.js";
export { type LabTarget, type Lookup, parseTarget, pinAddress } from "./target.js";
