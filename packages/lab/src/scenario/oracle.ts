import { CONTRACT_STATES, type ContractState } from "@drydock/acceptance";
import * as z from "zod/mini";

/** Which configuration the appliance has, by its digest as a whole. */
export const CONFIGURATIONS = [
  /** As the snapshot that the scenario began with. */
  "before",
  /** That, with the one field as it was asked for. */
  "after",
  /** As somebody at the console left it. */
  "edited",
  /** As somebody at the console left it, with the one field as it was sent last. */
  "merged",
] as const;
export type ConfigurationName = (typeof CONFIGURATIONS)[number];

/** What has to be so at the end, all of it. */
export interface Oracle {
  /** STORE_REFUSED: the store isn't opened any more. */
  readonly state: ContractState | "STORE_REFUSED";
  /** Mutations that came to the proxy, which counts by itself. */
  readonly forwardSends: 0 | 1;
  readonly rollbackSends: 0 | 1;
  /** Unknown where the store isn't opened any more. */
  readonly reservation: "held" | "free" | "unknown";
  readonly appliance: ConfigurationName;
}

/** As it was seen: there may be more sends than there should, and a configuration of no name. */
export interface Observed {
  readonly state: Oracle["state"];
  readonly forwardSends: number;
  readonly rollbackSends: number;
  readonly reservation: Oracle["reservation"];
  readonly appliance: ConfigurationName | "other";
}

const state = z.enum([...CONTRACT_STATES, "STORE_REFUSED"]);
const sends = z.union([z.literal(0), z.literal(1)]);
const reservation = z.enum(["held", "free", "unknown"]);

export const oracleShape: z.ZodMiniType<Oracle> = z.strictObject({
  ...{ state, forwardSends: sends, rollbackSends: sends, reservation },
  appliance: z.enum(CONFIGURATIONS),
});

const count = z.int().check(z.minimum(0));

export const observedShape: z.ZodMiniType<Observed> = z.strictObject({
  ...{ state, forwardSends: count, rollbackSends: count, reservation },
  appliance: z.enum([...CONFIGURATIONS, "other"]),
});
