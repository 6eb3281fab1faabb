import type { FaultHooks } from "@drydock/acceptance";
import type { Injection } from "./catalogue.js";

/** Stands for the end of the process that works on the contract. */
export class Crash extends Error {}

/** Hooks of a store, and whether what they are for has happened. */
export interface CrashingHooks {
  readonly hooks: FaultHooks;
  happened(): boolean;
}

/**
 * Hooks of a store whose process ends at one point. From then on every write fails before it
 * begins: a process that is gone writes nothing more, not even that it failed.
 */
export const crashingHooks = ({
  at,
  write,
}: Extract<Injection, { kind: "crash" }>): CrashingHooks => {
  let crashed = false;
  const crash = (): never => {
    crashed = true;
    throw new Crash(`at ${at} of ${write}`);
  };
  const crashAt = (here: typeof at) => (name: string) => {
    if (at === here && name === write) crash();
  };
  return {
    hooks: {
      beforeTransaction: (name) => {
        if (crashed) crash();
        crashAt("beforeTransaction")(name);
      },
      beforeCommit: crashAt("beforeCommit"),
      afterCommit: crashAt("afterCommit"),
    },
    happened: () => crashed,
  };
};
