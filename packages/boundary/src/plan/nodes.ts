import { quote } from "@drydock/evidence";
import type { Ipv4, PlanAttachment, PlanNetwork, PlanNode } from "../model/index.js";
import type { MachineEntry } from "./entries.js";
import { finding, type Lowered, lowered, type Path, type PlanFinding } from "./finding.js";
import { readMachineAddress } from "./networks.js";

/** @param lineOf where a machine's entry begins. */
export const lowerNodes = (
  machines: readonly MachineEntry[],
  networks: readonly PlanNetwork[],
  lineOf: (path: Path) => number,
): Lowered<PlanNode> => {
  const taken = new Map<Ipv4, string>(
    networks.map(({ gateway, name }) => [gateway, `${name}'s gateway`]),
  );
  return lowered(machines.map((entry) => lowerNode(entry, networks, taken, lineOf)));
};

const lowerNode = (
  entry: MachineEntry,
  networks: readonly PlanNetwork[],
  taken: Map<Ipv4, string>,
  lineOf: (path: Path) => number,
): Lowered<PlanNode> => {
  const { address, name, path, image, command, links } = entry;
  const { value: attachments, findings } = lowered(
    links.map((link, index) => lowerLink(entry, link, [...path, "links", index], networks, taken)),
  );
  const extra = strays(entry);
  if (findings.length + extra.length > 0) return { value: [], findings: [...findings, ...extra] };
  return {
    value: [{ address, name, image, command, attachments, line: lineOf(path) }],
    findings: [],
  };
};

const lowerLink = (
  { name, path, properties }: MachineEntry,
  link: string,
  at: Path,
  networks: readonly PlanNetwork[],
  taken: Map<Ipv4, string>,
): Lowered<PlanAttachment> => {
  const refuse = (
    where: Path,
    code: PlanFinding["code"],
    what: string,
  ): Lowered<PlanAttachment> => ({
    value: [],
    findings: [finding(where, code, what)],
  });
  const network = networks.find((candidate) => candidate.name === link);
  if (network === undefined) {
    return refuse(at, "PLAN_LINK_UNRESOLVED", `${quote(link)} is no usable switch of this plan`);
  }
  const places = properties.flatMap((place, index) =>
    Object.hasOwn(place, link)
      ? [{ text: place[link] ?? "", at: [...path, "properties", index, link] }]
      : [],
  );
  const [place, second] = places;
  if (place === undefined || second !== undefined) {
    const what = `${name} has ${places.length} addresses on ${link}: give it one under properties`;
    return refuse(second?.at ?? at, "PLAN_LINK_WITHOUT_ADDRESS", what);
  }
  const ipv4 = readMachineAddress(place.text, network.cidr, place.at);
  if (typeof ipv4 !== "number") return { value: [], findings: [ipv4] };
  const holder = taken.get(ipv4);
  if (holder !== undefined) {
    return refuse(place.at, "PLAN_ADDRESS_TAKEN", `${place.text} is ${holder} already`);
  }
  taken.set(ipv4, `${name}'s`);
  return { value: [{ network: network.address, ipv4 }], findings: [] };
};

/** Addresses on networks that a machine has no link to. */
const strays = ({ name, path, links, properties }: MachineEntry): readonly PlanFinding[] =>
  properties.flatMap((place, index) =>
    Object.keys(place)
      .filter((network) => !links.includes(network))
      .map((network) =>
        finding(
          [...path, "properties", index, network],
          "PLAN_LINK_WITHOUT_ADDRESS",
          `${name} has an address on ${quote(network)} and no link to it`,
        ),
      ),
  );
