export { isLabAddress } from "./lab-address.js";
export { isLabName } from "./lab-name.js";
export { type Lookup, pinAddress } from "./pin-address.js";
export { type LabTarget, parseTarget } from "./target.js";
