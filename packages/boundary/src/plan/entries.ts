import { quote } from "@drydock/evidence";
import type { PlanAddress } from "../model/index.js";
import { finding, type Lowered, type Path, type PlanFinding } from "./finding.js";
import { NAME_PATTERN, networkAddress, nodeAddress } from "./names.js";
import type { LenientAcl, ResourcesPlan } from "./resources-schema.js";
import type { AuthoredMachine, AuthoredPlan, AuthoredSwitch } from "./schema.js";

interface Named {
  readonly address: PlanAddress;
  readonly name: string;
  /** Of what stands under `infrastructure`. */
  readonly path: Path;
}

/** Either form's, with tokens and defaults written out. */
export type Acl = LenientAcl;

export interface SwitchEntry extends Named {
  readonly kind: "network";
  readonly properties: AuthoredSwitch["properties"];
  readonly acls: readonly Acl[];
}

export interface MachineEntry extends Named {
  readonly kind: "node";
  readonly image: string | null;
  readonly command: readonly string[] | null;
  readonly links: AuthoredMachine["links"];
  readonly properties: AuthoredMachine["properties"];
  readonly acls: readonly Acl[];
}

export type Entry = SwitchEntry | MachineEntry;

/** What an author wrote under `nodes` and `infrastructure`, brought together by name. */
export const authoredEntries = ({ nodes, infrastructure }: AuthoredPlan): Lowered<Entry> => {
  const value: Entry[] = [];
  const findings: PlanFinding[] = [];
  for (const [name, node] of Object.entries(nodes)) {
    const place = Object.hasOwn(infrastructure, name) ? infrastructure[name] : undefined;
    if (place === undefined) {
      findings.push(unmatched(["nodes", name], name, "infrastructure"));
      continue;
    }
    const path = ["infrastructure", name];
    if (node.type === "Switch" && !("links" in place)) {
      value.push(switchEntry(name, path, place));
    } else if (node.type === "VM" && "links" in place) {
      value.push(machineEntry(name, path, node, place));
    } else {
      const what = `${name} is a ${node.type}, and its infrastructure is the other's`;
      findings.push(finding(path, "PLAN_ENTRY_TYPE", what));
    }
  }
  for (const name of Object.keys(infrastructure)) {
    if (Object.hasOwn(nodes, name)) continue;
    findings.push(unmatched(["infrastructure", name], name, "nodes"));
  }
  return { value, findings };
};

const unmatched = (path: Path, name: string, where: string): PlanFinding =>
  finding(path, "PLAN_ENTRY_UNMATCHED", `${name} isn't under ${where} as well`);

/** What a RAES planner made, whose addresses have to say what their resources are. */
export const resourceEntries = ({ resources }: ResourcesPlan): Lowered<Entry> => {
  const value: Entry[] = [];
  const findings: PlanFinding[] = [];
  for (const [key, resource] of Object.entries(resources)) {
    const { address, resource_type: type } = resource;
    const { name } = resource.payload;
    const path = ["resources", key, "payload", "spec", "infrastructure"];
    const expected = type === "network" ? networkAddress(name) : nodeAddress(name);
    if (!NAME_PATTERN.test(name) || key !== expected || address !== expected) {
      const what = `${quote(key)} is called ${quote(address)}, and is the ${type} ${quote(name)}`;
      findings.push(finding(["resources", key], "PLAN_OWNER_AMBIGUOUS", what));
    } else if (resource.resource_type === "network") {
      value.push(switchEntry(name, path, resource.payload.spec.infrastructure));
    } else {
      const { node, infrastructure } = resource.payload.spec;
      value.push(machineEntry(name, path, node, infrastructure));
    }
  }
  return { value, findings };
};

const switchEntry = (
  name: string,
  path: Path,
  {
    properties,
    acls = [],
  }: Pick<AuthoredSwitch, "properties"> & { readonly acls?: Acl[] | undefined },
): SwitchEntry => ({
  kind: "network",
  address: networkAddress(name),
  name,
  path,
  properties,
  acls,
});

const machineEntry = (
  name: string,
  path: Path,
  {
    image,
    command,
  }: { readonly image?: string | undefined; readonly command?: string[] | undefined },
  {
    links,
    properties,
    acls = [],
  }: Pick<AuthoredMachine, "links" | "properties"> & { readonly acls?: Acl[] | undefined },
): MachineEntry => ({
  kind: "node",
  address: nodeAddress(name),
  name,
  path,
  image: image ?? null,
  command: command ?? null,
  links,
  properties,
  acls,
});
