import { setTimeout as pause } from "node:timers/promises";
import type { Digest } from "@drydock/evidence";
import { digestOfValue, isDrydockError } from "@drydock/evidence";
import type { ExchangeRecord } from "@drydock/faults";
import type { Observed } from "../oracle.js";
import type { ApplianceView, World } from "../world.js";

/** Codes with which a store refuses to be what it was. */
const REFUSED = /^STORE_(INTEGRITY|ROLLED_BACK|SCHEMA|MISSING)$/;

/** Null when the store isn't to be trusted any more, which is what some scenarios are about. */
export const openedOrRefused = <T>(open: () => T): T | null => {
  try {
    return open();
  } catch (error) {
    if (isDrydockError(error) && REFUSED.test(error.code)) return null;
    throw error;
  }
};

export const sendsIn = (exchanges: readonly ExchangeRecord[]) => {
  const count = (phase: ExchangeRecord["phase"]): number =>
    exchanges.filter((exchange) => exchange.phase === phase).length;
  return { forwardSends: count("mutation"), rollbackSends: count("rollback") };
};

/** Longer than the proxy lets an upstream finish; what is open then won't end. */
const SETTLING_MS = 15_000;
const LOOK_AGAIN_MS = 10;

/**
 * The proxy's log from this place on, once nothing is under way: what is still on its way could
 * change the appliance after it was looked at.
 */
export const settledLog = async (
  { proxy, clock }: Pick<World, "proxy" | "clock">,
  from: number,
): Promise<{ readonly exchanges: readonly ExchangeRecord[]; readonly settled: boolean }> => {
  const late = clock() + SETTLING_MS;
  for (;;) {
    const exchanges = (await proxy.log()).slice(from);
    const settled = exchanges.every(({ durationMs }) => durationMs !== null);
    if (settled || clock() > late) return { exchanges, settled };
    await pause(LOOK_AGAIN_MS);
  }
};

export interface Expectable {
  readonly before: ApplianceView;
  /** As the console left it, if anything was done there. */
  readonly edited: ApplianceView | null;
  readonly candidate: string;
  /** What the one field was changed to, and what was sent last. */
  readonly asked: string;
  readonly sentLast: string;
}

/** Which configuration it is, as a whole; its history of revisions is another thing. */
export const configurationName = (
  found: Digest,
  { before, edited, candidate, asked, sentLast }: Expectable,
): Observed["appliance"] => {
  const is = ({ configuration }: ApplianceView, descr?: string): boolean =>
    found === digestOfValue(descr === undefined ? configuration : saying(descr, configuration));
  const saying = (descr: string, configuration: ApplianceView["configuration"]) => ({
    ...configuration,
    aliases: configuration.aliases.map((alias) =>
      alias["name"] === candidate ? { ...alias, descr } : alias,
    ),
  });
  if (is(before)) return "before";
  if (is(before, asked)) return "after";
  if (edited === null) return "other";
  if (is(edited)) return "edited";
  return is(edited, sentLast) ? "merged" : "other";
};
