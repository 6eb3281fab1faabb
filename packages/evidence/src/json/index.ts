export { canonicalBytes, canonicalise } from "./canonical.js";
export { JsonError, type JsonErrorCode } from "./error.js";
export { isCanonical, isCanonicalFormOf, parseCanonical } from "./is-canonical.js";
export { DEFAULT_JSON_LIMITS, type JsonLimits, parseJson } from "./parse.js";
export { isJsonObject, type JsonObject, type JsonValue } from "./value.js";
