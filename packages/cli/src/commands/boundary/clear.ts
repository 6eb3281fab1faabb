import { clearBoundary } from "@drydock/boundary";
import { visible } from "../../terminal/sanitise.js";
import { type JsonFlag, print } from "../context.js";
import { type ApplianceFlags, openAppliance } from "./appliance.js";

export interface BoundaryClearFlags extends JsonFlag, ApplianceFlags {}

/** `drydock boundary clear`: removes exactly what bears the owner's mark. */
export const boundaryClear = async (flags: BoundaryClearFlags): Promise<number> => {
  const appliance = await openAppliance(flags, { allowHostNetwork: false, claim: "change" });
  using _namespace = appliance.namespace;
  const cleared = await clearBoundary(flags.owner, appliance);
  const { containers, networks, tables } = cleared;
  print(
    flags,
    { owner: flags.owner, ...cleared },
    `${visible(flags.owner)}: ${containers} containers, ${networks} networks and ${tables} tables removed\n`,
  );
  return 0;
};
