import { setTimeout as pause } from "node:timers/promises";
import type { ExchangeRecord, Phase } from "@drydock/faults";
import type { World } from "../world.js";

const LOOK_AGAIN_MS = 5;

/**
 * Runs something whose request the proxy was told to hold, and does an edit while it is held.
 *
 * @returns whether the edit was done before any byte of the request went on
 */
export const editMeanwhile = async (
  { proxy }: Pick<World, "proxy">,
  phase: Phase,
  { run, edit }: { readonly run: () => Promise<void>; readonly edit: () => Promise<void> },
): Promise<boolean> => {
  const from = (await proxy.log()).length;
  const held = async (): Promise<ExchangeRecord | undefined> =>
    (await proxy.log()).slice(from).find((exchange) => exchange.phase === phase);
  let over = false;
  const running = run().finally(() => {
    over = true;
  });
  // Whoever awaits it later gets what it throws; until then it isn't nobody's.
  running.catch(() => undefined);
  while (!over && (await held()) === undefined) await pause(LOOK_AGAIN_MS);
  if (!over) await edit();
  const exchange = await held();
  await running;
  return exchange?.copies === 0 && exchange.durationMs === null;
};
