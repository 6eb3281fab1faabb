import { quote } from "@drydock/evidence";
import { refuse } from "../codes.js";
import { type AppliancePolicy, type ObservedTopology, ZONES } from "../model/index.js";
import { selects } from "../policy/index.js";
import { planAddressOf } from "./labels.js";

/**
 * What belongs to a scenario may carry no label that selects the platform's. Guard: a scenario's
 * image brings its own labels along, and with the platform's own missing the forged one would be
 * the only match.
 *
 * @throws DrydockError BIND_PLATFORM_LABEL_FORGED
 */
export const refuseForgedLabels = (policy: AppliancePolicy, topology: ObservedTopology): void => {
  const parts = [
    ["network", topology.networks, policy.networks],
    ["container", topology.containers, policy.anchors],
  ] as const;
  for (const [kind, found, selectors] of parts) {
    for (const { name, labels } of found) {
      const address = planAddressOf(labels);
      const zone = ZONES.find((each) => selects(selectors[each], labels));
      if (address === null || zone === undefined) continue;
      const message = `${kind} ${quote(name)} is ${quote(address)}, and carries the ${zone} label`;
      refuse("BIND_PLATFORM_LABEL_FORGED", message, {
        fix: "Remove it, and look where it came from.",
      });
    }
  }
};
