import {
  type Canary,
  type CanarySighting,
  compileCanaries,
  createCanaryWatch,
} from "@drydock/broker";
import type { Event } from "@drydock/evidence";
import type { See, Sentry } from "./sentry.js";

/** Loaded when something is planted, which is in few runs. */
export const createSentry = (
  canaries: readonly Canary[],
  record: (event: Event) => void,
): Sentry => {
  const compiled = compileCanaries(canaries);
  const watching = (sighted: (sighting: CanarySighting) => void): See => {
    const watch = createCanaryWatch(compiled);
    return (bytes) => {
      for (const sighting of watch.push(bytes)) sighted(sighting);
    };
  };
  return {
    watch: (channel, place) =>
      watching(({ canary, encoding, layer }) =>
        record({
          type: "canary.sighted",
          measurements: { channel, place, canary, encoding, layer },
        }),
      ),
    watchArtifact: (path) =>
      watching(({ canary, encoding, layer }) =>
        record({ type: "artifact.canary", measurements: { path, canary, encoding, layer } }),
      ),
  };
};
