import { DrydockError } from "@drydock/evidence";
import type { RunSpec } from "@drydock/trial";

/**
 * A guard: what runs beside a stand-in in its guest isn't root, nor of root's group. Root could take
 * the stand-in's credentials, and its place.
 *
 * @throws DrydockError USAGE
 */
export const requireUnprivileged = ({ user }: Pick<RunSpec, "user">): void => {
  if (user.uid !== 0 && user.gid !== 0) return;
  throw new DrydockError("USAGE", "what runs beside a stand-in isn't root", {
    fix: "Leave --user out, or name another.",
  });
};
