import { refuse } from "../codes.js";
import type { AclRule, PlanAddress, ProvisioningPlan } from "../model/index.js";

/**
 * The networks on which a node has to have an address, so that its rule can match at all: on side
 * `in` it is the destination, on side `out` the source.
 */
const required = ({ direction, from, to }: AclRule): readonly (PlanAddress | null)[] => {
  switch (direction) {
    case "in":
      return [to];
    case "out":
      return [from];
    case "inout":
      return [from, to];
  }
};

/**
 * Every rule's owner is who it says, and is where its rule needs it.
 *
 * @throws DrydockError BIND_OWNER_AMBIGUOUS, BIND_OWNER_UNREALISED, BIND_OWNER_WITHOUT_ADDRESS
 */
export const refuseUnboundOwners = ({ networks, nodes, rules }: ProvisioningPlan): void => {
  const places = new Map(nodes.map(({ address, attachments }) => [address, attachments]));
  const switches = new Set(networks.map(({ address }) => address));
  for (const rule of rules) {
    const { owner, ownerType, name, line } = rule;
    const at = `rule ${name} of ${owner} (line ${line})`;
    const isNode = places.has(owner);
    if (
      (isNode && switches.has(owner)) ||
      ((isNode || switches.has(owner)) && isNode !== (ownerType === "node"))
    ) {
      refuse("BIND_OWNER_AMBIGUOUS", `${at}: its owner is called a ${ownerType}`, FIX);
    }
    if (!isNode && !switches.has(owner)) {
      refuse("BIND_OWNER_UNREALISED", `${at}: the plan has no such ${ownerType}`, FIX);
    }
    if (!isNode) continue;
    const held = new Set((places.get(owner) ?? []).map(({ network }) => network));
    const missing = required(rule).find((network) => network !== null && !held.has(network));
    if (held.size === 0 || missing !== undefined) {
      const where = missing ?? "any network";
      refuse("BIND_OWNER_WITHOUT_ADDRESS", `${at}: its owner has no address on ${where}`, FIX);
    }
  }
};

const FIX = { fix: "Correct the plan." };
