import { type ExitControl, verifyExit } from "../exit/index.js";
import { SCENARIOS, type World } from "../scenario/index.js";
import { type PlayOptions, playScenarios } from "./play.js";
import { type AcceptanceReport, acceptanceReport } from "./report.js";

export interface AcceptanceOptions extends Pick<PlayOptions, "seed" | "onReport"> {
  /** Every one there is, unless given. */
  readonly scenarios?: PlayOptions["scenarios"];
  /** How often each is played. */
  readonly repeat?: number;
}

/**
 * Plays all scenarios and then, whatever happened, takes the lab's permission away and proves it; in
 * one process, so that it is as good as that process lives. `startRehearsal` survives it.
 */
export const runFullAcceptance = async (
  world: World,
  exit: ExitControl,
  { scenarios = SCENARIOS, repeat = 1, ...options }: AcceptanceOptions,
): Promise<AcceptanceReport> => {
  const played = await playScenarios(world, { ...options, scenarios, repeat });
  // After restoring: a snapshot brings a permission back.
  return acceptanceReport(played, await verifyExit(exit));
};
