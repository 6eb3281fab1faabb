export * from "./bulk/index.js";
export * from "./control/index.js";
export { type Glob, globsSelect, parseGlob } from "./glob/glob.js";
export * from "./limits.js";
export type { BytePipe } from "./pipe.js";
export { PROXY_HOST, PROXY_PORT } from "./proxy.js";
export * from "./session/index.js";
export { type CloseReason, type Violation, type ViolationCode, WireError } from "./violation.js";
