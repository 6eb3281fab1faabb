export { engineMac } from "./attachment.js";
export { PLAN_ADDRESS_LABEL } from "./labels.js";
export type { BindOptions } from "./phase.js";
export { bindPlatform, zoneAnchor, zoneNetwork } from "./platform.js";
export { bindScenario } from "./scenario.js";
