export {
  type Canary,
  type CanaryEncoding,
  type CanaryLayer,
  type CanarySighting,
  MAX_CANARIES,
  MAX_CANARY_LENGTH,
  MIN_CANARY_LENGTH,
} from "./canary.js";
export { type CompiledCanaries, compileCanaries } from "./compile.js";
export { freshCanaries } from "./plant.js";
export { type CanaryWatch, createCanaryWatch } from "./watch.js";
