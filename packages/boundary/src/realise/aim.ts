import type { Realisation } from "../model/index.js";
import { expectedSettings, type Setting } from "../readback/index.js";
import { type Desired, desiredOf, type Wanted } from "./desired.js";
import type { KernelBackend } from "./kernel-port.js";

/** What is wanted, what the engine has to hold for it, and how this kernel's rules can be written. */
export interface Aim {
  readonly wanted: Wanted;
  readonly desired: Desired;
  readonly realisation: Realisation;
}

/** Of a boundary with both its authorities: a scenario alone is no appliance. */
export interface ApplianceAim extends Aim {
  readonly wanted: Wanted & { readonly platform: NonNullable<Wanted["platform"]> };
}

/** @throws DrydockError REALISATION_MISSING, and the kernel's */
export const aimAt = async <W extends Wanted>(
  wanted: W,
  kernel: Pick<KernelBackend, "realisation">,
): Promise<Aim & { readonly wanted: W }> => ({
  wanted,
  desired: desiredOf(wanted),
  realisation: await kernel.realisation(),
});

/** Everything outside of the tables that they rest on. */
export const settingsFor = ({ desired, realisation }: Omit<Aim, "wanted">): readonly Setting[] =>
  expectedSettings({
    realisation,
    bridges: desired.networks.map(({ spec }) => spec.bridge),
    routes: true,
  });
