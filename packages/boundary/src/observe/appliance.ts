import type { Aim, Wanted } from "../realise/index.js";

/** A boundary with both its authorities: a scenario alone is no appliance. */
export interface ApplianceAim extends Aim {
  readonly wanted: Wanted & { readonly platform: NonNullable<Wanted["platform"]> };
}
