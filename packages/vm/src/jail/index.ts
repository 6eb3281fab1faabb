export { ensureDirectory } from "./directory.js";
export {
  type Launched,
  type LaunchSpec,
  type Limit,
  launch,
  launchArguments,
  type MountStep,
  type Namespace,
  type Stdio,
} from "./launch.js";
export { identifyProcess, isProcessAlive, type ProcessIdentity, readBootId } from "./process.js";
export {
  addSlotOwner,
  allocateSlot,
  listSlots,
  type OwnerRecord,
  RUNTIME_DIRECTORY,
  readOwner,
  type Slot,
  type SlotOwner,
  slotAt,
} from "./slot.js";
export { createSlotCgroup, type SlotCgroup, wearsUid } from "./slot-cgroup.js";
export { CONTROLLER_UID, MAX_SLOTS, portUid, SEALER_UID, UID_BASE, vmmUid } from "./uids.js";
