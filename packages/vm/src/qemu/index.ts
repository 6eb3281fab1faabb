export { createQemuAdapter, type QemuAdapter, type QemuOptions, type QemuPlan } from "./adapter.js";
export { pruneBundles } from "./bundle.js";
export { pruneGolden } from "./golden.js";
export { type StoppedKeepers, stopKeepers } from "./keeper.js";
export { connectQemu } from "./machine.js";
export { vmmLimits } from "./model.js";
