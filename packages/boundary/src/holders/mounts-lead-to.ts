import type { Mount, Whereabouts } from "./mountinfo.js";
import { isWithin } from "./within.js";

/**
 * Guard: whether one of these files is to be found among mounts, whatever it was mounted by: a link, a
 * volume, or another mount of the host's. What an engine says of a container has only the names that
 * it was given.
 */
export const mountsLeadTo = (files: readonly Whereabouts[], mounts: readonly Mount[]): boolean =>
  files.some(({ device, path }) =>
    mounts.some((mount) => mount.device === device && isWithin(path, mount.root)),
  );
