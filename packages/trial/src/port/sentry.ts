/** Sees every byte of one stream of the guest's, in order. */
export type See = (bytes: Uint8Array) => void;

/** Looks for planted values in what the guest says, and records each sighting. It stops nothing. */
export interface Sentry {
  /** @param place which stream of the channel, e.g. `stdout` */
  watch(channel: string, place: string): See;
  watchArtifact(path: string): See;
}

const seeNothing: See = () => undefined;

/** Of a run in which nothing is planted. */
export const NO_SENTRY: Sentry = { watch: () => seeNothing, watchArtifact: () => seeNothing };
