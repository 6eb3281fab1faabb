export { type Admitted, admit, type Door, WrongShape } from "./admit.js";
export type { ApiCall } from "./call.js";
export { type Controls, takeControls } from "./controls.js";
export { ALL_PRIVILEGES, privilegeOf } from "./privilege.js";
export { issueToken } from "./token.js";
