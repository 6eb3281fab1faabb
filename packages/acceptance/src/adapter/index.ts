export type { Capability, CapabilityAdapter } from "./adapter.js";
export { ADAPTER_CODES, AdapterError, type AdapterErrorCode } from "./error.js";
