import { clearBoundary, parseAppliancePolicy, requireReleasedPolicy } from "@drydock/boundary";
import { readNamedFile } from "@drydock/evidence";
import { visible } from "../../terminal/sanitise.js";
import { type JsonFlag, print } from "../context.js";
import { usage } from "../usage.js";
import { type ApplianceFlags, openAppliance } from "./appliance.js";
import { type ReleaseFlags, readRelease } from "./wanted.js";

export interface BoundaryClearFlags extends JsonFlag, ApplianceFlags, Partial<ReleaseFlags> {
  readonly policy?: string;
}

/** `drydock boundary clear`: removes exactly what bears the owner's mark. */
export const boundaryClear = async (flags: BoundaryClearFlags): Promise<number> => {
  const allowHostNetwork = allowsHostNetwork(flags);
  const appliance = await openAppliance(flags, { allowHostNetwork, claim: "change" });
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

/** Only a policy that somebody vouches for may say so, to clear as to apply. */
const allowsHostNetwork = (flags: BoundaryClearFlags): boolean => {
  const { policy: file, release, signature, key } = flags;
  if ([file, release, signature, key].every((each) => each === undefined)) return false;
  if (file === undefined || release === undefined || signature === undefined || key === undefined)
    throw usage(
      "a policy counts with its release",
      "Give --policy, --release, --signature and --key, or none of them.",
    );
  const policy = parseAppliancePolicy(readNamedFile(file), { file });
  requireReleasedPolicy(policy, readRelease({ release, signature, key }));
  return policy.allowHostNetwork;
};
