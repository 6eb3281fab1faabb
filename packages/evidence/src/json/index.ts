export { canonicalBytes, canonicalise } from "./canonical.js";
export { JsonError, type JsonErrorCode } from "./error.js";
export { DEFAULT_JSON_LIMITS, type JsonLimits, parseJson } from "./parse.js";
export { isCanonical, parseCanonical } from "./parse-canonical.js";
export { isJsonObject, type JsonObject, type JsonValue } from "./value.js";
