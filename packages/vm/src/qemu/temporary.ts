import { joinFiles } from "../cgroup/index.js";
import { vmError } from "../errors.js";
import { identifyProcess } from "../jail/process.js";
import { allocateSlot } from "../jail/slot.js";
import { createSlotCgroup } from "../jail/slot-cgroup.js";
import { destroySlot } from "../reap/index.js";
import type { VmPlace } from "../vmm.js";
import { type MachineShape, vmmLimits } from "./model.js";

/**
 * A place for a machine of Drydock's own (a canary, a golden machine), behind the same walls as a
 * run's and gone when `use` has ended.
 */
export const withTemporaryPlace = async <T>(
  name: string,
  shape: MachineShape,
  use: (place: Omit<VmPlace, "upper">) => Promise<T>,
): Promise<T> => {
  const identity = identifyProcess(process.pid);
  if (identity === undefined) throw vmError("OBSERVATION", "/proc doesn't show this process");
  const slot = allocateSlot(name, { ...identity, role: "launcher" });
  let result: T;
  try {
    const { cgroup } = createSlotCgroup(slot, "", vmmLimits(shape));
    result = await use({ slot, cgroups: joinFiles(cgroup) });
  } catch (error) {
    await destroySlot(slot);
    throw error;
  }
  const leftovers = await destroySlot(slot);
  if (leftovers.length === 0) return result;
  throw vmError(
    "SLOT_RECORD",
    `slot ${slot.number} can't be cleared: ${JSON.stringify(leftovers)}`,
  );
};
