import { constants, setPriority } from "node:os";

/**
 * Before everything else that the machine does, for this thread and what it starts from now on: on
 * a busy one a drop would wait its turn a dozen times. What takes long is done in another thread.
 *
 * @returns whether this user may
 */
export const raisePriority = (): boolean => {
  try {
    setPriority(0, constants.priority.PRIORITY_HIGHEST);
    return true;
  } catch {
    // EACCES, or EPERM where there is no CAP_SYS_NICE: it watches all the same, as fast as others.
    return false;
  }
};
