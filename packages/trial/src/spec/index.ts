export { formatDuration, parseDuration } from "./duration.js";
export { LIMIT_RANGES, type RunLimits } from "./limits.js";
export { type RunSpec, type RunSpecInput, runSpecSchema } from "./run-spec.js";
export { runSpecJsonSchema } from "./schema.js";
export { formatSize, parseSize } from "./size.js";
