import { aimAt, isProven, proveBoundary, requireEngineInside, see } from "@drydock/boundary";
import { print } from "../context.js";
import { openAppliance } from "./appliance.js";
import type { BoundaryObserveFlags } from "./apply.js";
import { allowsHostNetwork } from "./host-network.js";
import { describeProof, proofJson } from "./proof.js";
import { readWanted, withImages } from "./wanted.js";

const EXIT_PROVEN = 0;
const EXIT_UNPROVEN = 1;

/** `drydock boundary observe`: whether what is there is what is meant. Changes nothing. */
export const boundaryObserve = async (
  planFile: string,
  flags: BoundaryObserveFlags,
): Promise<number> => {
  const files = readWanted(planFile, flags);
  const appliance = await openAppliance(flags, {
    allowHostNetwork: allowsHostNetwork(files),
    claim: null,
  });
  using _namespace = appliance.namespace;
  const { namespace, engine, kernel } = appliance;
  await engine.identity();
  await requireEngineInside(namespace, flags.dockerSocket);
  const wanted = await withImages(files, engine);
  const aim = await aimAt(wanted, kernel);
  const proof = proveBoundary(aim, await see(aim, appliance));
  const development = flags.dev === true;
  print(flags, proofJson(aim, proof, { development }), describeProof(aim, proof, { development }));
  return isProven(proof) ? EXIT_PROVEN : EXIT_UNPROVEN;
};
