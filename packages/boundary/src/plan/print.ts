import {
  type AclRule,
  formatCidr,
  formatIpv4,
  type PlanAddress,
  type PlanNetwork,
  type PlanNode,
  type ProvisioningPlan,
} from "../model/index.js";
import { type AuthoredPlanInput, PLAN_SCHEMA } from "./schema.js";

/** The plan as an author could have written it, with every default written out. */
export const planDocument = (plan: ProvisioningPlan): AuthoredPlanInput => {
  const { networks, nodes } = plan;
  const nameOf = new Map(networks.map(({ address, name }) => [address, name]));
  const named = (address: PlanAddress): string => nameOf.get(address) ?? address;
  const aclsOf = (owner: PlanAddress) => {
    const acls = plan.rules.filter((rule) => rule.owner === owner).map((rule) => acl(rule, named));
    return acls.length === 0 ? {} : { acls };
  };
  return {
    schema: PLAN_SCHEMA,
    default: plan.default,
    nodes: Object.fromEntries([
      ...networks.map(({ name }) => [name, { type: "Switch" as const }] as const),
      ...nodes.map((node) => [node.name, { type: "VM" as const, ...program(node) }] as const),
    ]),
    infrastructure: Object.fromEntries([
      ...networks.map(
        (item) => [item.name, { properties: block(item), ...aclsOf(item.address) }] as const,
      ),
      ...nodes.map(
        (item) => [item.name, { ...places(item, named), ...aclsOf(item.address) }] as const,
      ),
    ]),
  };
};

const block = ({ cidr, gateway }: PlanNetwork) => ({
  cidr: formatCidr(cidr),
  gateway: formatIpv4(gateway),
});

const program = ({ image, command }: PlanNode) => ({
  ...(image === null ? {} : { image }),
  ...(command === null ? {} : { command: [...command] }),
});

const places = ({ attachments }: PlanNode, named: (address: PlanAddress) => string) => ({
  links: attachments.map(({ network }) => named(network)),
  properties: attachments.map(({ network, ipv4 }) => ({ [named(network)]: formatIpv4(ipv4) })),
});

const acl = (rule: AclRule, named: (address: PlanAddress) => string) => ({
  name: rule.name,
  direction: rule.direction,
  ...(rule.from === null ? {} : { from_net: named(rule.from) }),
  ...(rule.to === null ? {} : { to_net: named(rule.to) }),
  protocol: rule.protocol,
  ...(rule.ports.length === 0 ? {} : { ports: [...rule.ports] }),
  action: rule.action,
});
