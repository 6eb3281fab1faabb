export { engineProcess, requireEngineInside } from "./engine-process.js";
export { engineSockets } from "./engine-sockets.js";
export { observeHostAccess } from "./host-access.js";
export { type HolderInventory, type HostAccess, holderInventory } from "./inventory.js";
export { containersMounting } from "./mounting.js";
export { type Access, type Powers, powersOf, reachesEngine } from "./powers.js";
