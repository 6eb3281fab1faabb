import type { EngineContainer } from "../engine/index.js";
import { KNOWN_SOCKETS } from "./known-sockets.js";
import { mountsOf, whereaboutsOf } from "./mountinfo.js";
import { mountsLeadTo } from "./mounts-lead-to.js";

/**
 * Ids of the containers that have an engine's socket among their mounts, as the kernel shows them; one
 * that doesn't run has none yet.
 *
 * @param sockets of the engine, beside those where engines usually listen.
 * @throws DrydockError HOLDERS_UNOBSERVABLE
 */
export const containersMounting = (
  containers: readonly Pick<EngineContainer, "id" | "pid">[],
  sockets: readonly string[],
): ReadonlySet<string> => {
  const files = whereaboutsOf([...KNOWN_SOCKETS, ...sockets], mountsOf("self"));
  return new Set(
    containers
      .filter(({ pid }) => pid !== null && mountsLeadTo(files, mountsOf(pid)))
      .map(({ id }) => id),
  );
};
