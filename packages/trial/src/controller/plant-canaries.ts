import { type Canary, freshCanaries } from "@drydock/broker";
import { CANARY_DIRECTORY, type OwnEnvironment, type PlantedFile } from "../contract/index.js";

export interface PlantedCanaries {
  readonly canaries: readonly Canary[];
  readonly files: readonly PlantedFile[];
  readonly environment: OwnEnvironment;
}

/** Fresh values for this run, each in a variable and in a file. Loaded when there are any. */
export const plantCanaries = (
  names: readonly string[],
  random: (length: number) => Uint8Array,
): PlantedCanaries => {
  const canaries = freshCanaries(names, random);
  return {
    canaries,
    files: canaries.map(({ id, value }) => ({
      path: `${CANARY_DIRECTORY}/${id}`,
      contents: `${value}\n`,
      besides: null,
    })),
    environment: canaries.map(({ id, value }) => ({ name: id, value })),
  };
};
