import { quote } from "@drydock/evidence";
import type { AclRule, PlanAddress } from "../model/index.js";
import type { Acl, Entry, SwitchEntry } from "./entries.js";
import { finding, type Lowered, lowered, type Path, type PlanFinding } from "./finding.js";

export interface AclContext {
  /** All of the plan's, also those that are themselves wrong: a rule that names one isn't. */
  readonly switches: readonly SwitchEntry[];
  /** Where a rule begins. */
  readonly lineOf: (path: Path) => number;
}

/** Rules in the order of their owners' addresses, each list in its author's. */
export const lowerAcls = (entries: readonly Entry[], context: AclContext): Lowered<AclRule> =>
  lowered(
    [...entries]
      .sort((a, b) => (a.address < b.address ? -1 : 1))
      .map((owner) => lowerList(owner, context)),
  );

const lowerList = (owner: Entry, context: AclContext): Lowered<AclRule> => {
  const names = new Set<string>();
  return lowered(
    owner.acls.map((acl, order) => {
      const path = [...owner.path, "acls", order];
      const name = acl.name ?? `acl-${order}`;
      const rule = lowerAcl({ owner, acl, name, order, path }, context);
      if (!names.has(name)) {
        names.add(name);
        return rule;
      }
      const what = `${owner.name} has a rule ${quote(name)} already`;
      return {
        value: [],
        findings: [...rule.findings, finding(path, "PLAN_ACL_NAME_REPEATED", what)],
      };
    }),
  );
};

interface Placed {
  readonly owner: Entry;
  readonly acl: Acl;
  readonly name: string;
  readonly order: number;
  readonly path: Path;
}

const lowerAcl = (
  { owner, acl, name, order, path }: Placed,
  { switches, lineOf }: AclContext,
): Lowered<AclRule> => {
  const from = resolve(acl.from_net, [...path, "from_net"], switches);
  const to = resolve(acl.to_net, [...path, "to_net"], switches);
  const ports = [...(acl.ports ?? [])].sort((a, b) => a - b);
  const findings = [from, to].flatMap((endpoint) => endpoint.findings);
  if (ports.length > 0 && acl.protocol !== "tcp" && acl.protocol !== "udp") {
    const what = `protocol ${acl.protocol} has no ports: write tcp or udp, or leave them out`;
    findings.push(finding([...path, "ports"], "PLAN_ACL_PORTS_PROTOCOL_UNSUPPORTED", what));
  }
  if (findings.length > 0) return { value: [], findings };
  const rule: AclRule = {
    owner: owner.address,
    ownerType: owner.kind,
    name,
    order,
    direction: acl.direction,
    from: from.address,
    to: to.address,
    protocol: acl.protocol,
    ports,
    action: acl.action,
    line: lineOf(path),
  };
  return { value: [rule], findings: [] };
};

interface Endpoint {
  readonly address: PlanAddress | null;
  readonly findings: readonly PlanFinding[];
}

const resolve = (
  text: string | null | undefined,
  path: Path,
  switches: readonly SwitchEntry[],
): Endpoint => {
  if (text === undefined || text === null || text === "") return { address: null, findings: [] };
  const network = switches.find(({ name, address }) => name === text || address === text);
  // An IPv6 block in a network's place, or a network that has one.
  if ((network?.properties.cidr ?? text).includes(":")) {
    const what = `${quote(text)} isn't IPv4`;
    return {
      address: null,
      findings: [finding(path, "PLAN_ACL_ENDPOINT_FAMILY_UNSUPPORTED", what)],
    };
  }
  if (network !== undefined) return { address: network.address, findings: [] };
  const what = `${quote(text)} is no network of this plan; leave the key out for any`;
  return { address: null, findings: [finding(path, "PLAN_ACL_ENDPOINT_UNRESOLVED", what)] };
};
