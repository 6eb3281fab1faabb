import { readUserFile } from "@drydock/document";
import { digestOf } from "@drydock/evidence";
import type { BoundaryCode } from "../codes.js";
import type { ProvisioningPlan } from "../model/index.js";
import { lowerAcls } from "./acls.js";
import { MAX_NETWORKS, MAX_NODES, MAX_PLAN_BYTES, MAX_RULES } from "./bounds.js";
import {
  authoredEntries,
  type Entry,
  type MachineEntry,
  resourceEntries,
  type SwitchEntry,
} from "./entries.js";
import { finding, type Path, type PlanFinding } from "./finding.js";
import { lowerNetworks } from "./networks.js";
import { lowerNodes } from "./nodes.js";
import { type ResourcesPlan, resourcesSchema } from "./resources-schema.js";
import { type AuthoredPlan, authoredSchema } from "./schema.js";

/**
 * Reads `drydock.plan/v1`, YAML or JSON, as its author wrote it or as RAES's planner gave it out
 * (under `resources`): networks and nodes by address, rules by owner and order.
 *
 * @param file as the user named it, for messages.
 * @throws DrydockError PLAN_…, or FILE_… for the file's form; each finding as
 * `file:line:column: CODE: what`, one a line.
 */
export const parsePlan = (
  bytes: Uint8Array,
  { file }: { readonly file: string },
): ProvisioningPlan => {
  const { value, keyLineOf, lineOf, refuse } = readUserFile<AuthoredPlan | ResourcesPlan>(
    bytes,
    (given) => (isResources(given) ? resourcesSchema : authoredSchema),
    file,
    { maxJsonBytes: MAX_PLAN_BYTES, codeOf },
  );
  const entries = "resources" in value ? resourceEntries(value) : authoredEntries(value);
  const switches = entries.value.filter(isSwitch);
  const machines = entries.value.filter(isMachine);
  const networks = lowerNetworks(switches, (path) => entryLine(path, keyLineOf));
  const nodes = lowerNodes(machines, networks.value, (path) => entryLine(path, keyLineOf));
  const rules = lowerAcls(entries.value, { switches, lineOf });
  const findings = [
    ...tooMany(entries.value),
    ...entries.findings,
    ...networks.findings,
    ...nodes.findings,
    ...rules.findings,
  ];
  if (findings.length > 0) return refuse(findings);
  return {
    digest: digestOf(bytes),
    default: value.default,
    networks: [...networks.value].sort(byAddress),
    nodes: [...nodes.value].sort(byAddress),
    rules: rules.value,
  };
};

const isResources = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.hasOwn(value, "resources");

const isSwitch = (entry: Entry): entry is SwitchEntry => entry.kind === "network";
const isMachine = (entry: Entry): entry is MachineEntry => entry.kind === "node";

/** Of the name: its entry's last two steps, or a resource's key. */
const entryLine = (path: Path, keyLineOf: (path: Path) => number): number =>
  keyLineOf(path.slice(0, 2));

const byAddress = <T extends { readonly address: string }>(a: T, b: T): number =>
  a.address < b.address ? -1 : 1;

const tooMany = (entries: readonly Entry[]): readonly PlanFinding[] => {
  const counts = [
    ["networks", entries.filter(isSwitch).length, MAX_NETWORKS],
    ["nodes", entries.filter(isMachine).length, MAX_NODES],
    ["rules", entries.reduce((sum, { acls }) => sum + acls.length, 0), MAX_RULES],
  ] as const;
  return counts.flatMap(([what, count, limit]) =>
    count > limit ? [finding([], "PLAN_TOO_LARGE", `${count} ${what}; at most ${limit}`)] : [],
  );
};

/** What of a rule is wrong says the key; of the rule as a whole it is its shape. */
const ACL_CODES: ReadonlyMap<PropertyKey | undefined, BoundaryCode> = new Map([
  ["action", "PLAN_ACL_ACTION_UNSUPPORTED"],
  ["direction", "PLAN_ACL_DIRECTION_UNSUPPORTED"],
  ["protocol", "PLAN_ACL_PROTOCOL_UNSUPPORTED"],
  ["from_net", "PLAN_ACL_ENDPOINT_UNRESOLVED"],
  ["to_net", "PLAN_ACL_ENDPOINT_UNRESOLVED"],
  ["ports", "PLAN_ACL_PORTS_INVALID"],
]);

const codeOf = (path: readonly PropertyKey[]): BoundaryCode | null => {
  // infrastructure.<name>.acls or resources.<address>.payload.spec.infrastructure.acls: a node
  // itself may be called acls.
  const at = path[0] === "resources" ? 5 : 2;
  if (path[at] !== "acls") return null;
  return ACL_CODES.get(path[at + 2]) ?? "PLAN_ACL_SHAPE_INVALID";
};
