import {
  type Cgroup,
  type CgroupLimits,
  createCgroup,
  type EffectiveLimits,
  membersOf,
  planCgroup,
} from "../cgroup/index.js";
import { isProcessOf } from "./process.js";
import { recordCgroups, type Slot } from "./slot.js";

export interface SlotCgroup {
  readonly cgroup: Cgroup;
  /** As the kernel read them back; a group whose limits don't hold is never returned. */
  readonly effective: EffectiveLimits;
}

/**
 * Makes a group that goes with the slot. Its directories are in the slot's record before they
 * exist, so that whoever destroys the slot knows of them whenever its maker dies.
 *
 * @param role empty for the VMM's own group.
 * @throws DrydockError LIMIT_UNATTACHED
 */
export const createSlotCgroup = (slot: Slot, role: string, limits: CgroupLimits): SlotCgroup => {
  const name = `drydock-${slot.number}-${slot.run}${role === "" ? "" : `-${role}`}`;
  const cgroup = planCgroup(name, limits);
  recordCgroups(
    slot,
    cgroup.parts.map(({ directory }) => directory),
  );
  return { cgroup, effective: createCgroup(cgroup, limits) };
};

/** Whether a process of that user is in the group, by the group's own list. */
export const wearsUid = (directory: string, uid: number): boolean =>
  membersOf(directory).some((pid) => isProcessOf(pid, uid));
