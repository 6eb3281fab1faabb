import { quote } from "@drydock/evidence";
import {
  type Cidr,
  contains,
  firstOf,
  formatCidr,
  type Ipv4,
  lastOf,
  type PlanNetwork,
  parseCidr,
  parseIpv4,
} from "../model/index.js";
import { MAX_PREFIX, MIN_PREFIX, UNUSABLE_BLOCKS } from "./bounds.js";
import type { SwitchEntry } from "./entries.js";
import { finding, type Lowered, lowered, type Path, type PlanFinding } from "./finding.js";

/** @param lineOf where a network's entry begins. */
export const lowerNetworks = (
  switches: readonly SwitchEntry[],
  lineOf: (path: Path) => number,
): Lowered<PlanNetwork> => {
  const networks = lowered(switches.map((entry) => lowerNetwork(entry, lineOf)));
  return {
    value: networks.value,
    findings: [...networks.findings, ...overlaps(networks.value, switches)],
  };
};

const lowerNetwork = (
  { address, name, path, properties }: SwitchEntry,
  lineOf: (path: Path) => number,
): Lowered<PlanNetwork> => {
  const block = [...path, "properties", "cidr"];
  const router = [...path, "properties", "gateway"];
  const cidr = readBlock(properties.cidr, block);
  if ("code" in cidr) return { value: [], findings: [cidr] };
  const gateway = readMachineAddress(properties.gateway, cidr, router);
  if (typeof gateway !== "number") return { value: [], findings: [gateway] };
  return { value: [{ address, name, cidr, gateway, line: lineOf(path) }], findings: [] };
};

const readBlock = (text: string, path: Path): Cidr | PlanFinding => {
  if (text.includes(":")) {
    return finding(
      path,
      "PLAN_FAMILY_UNSUPPORTED",
      `${quote(text)} isn't IPv4: IPv6 is denied on every network`,
    );
  }
  const cidr = parseCidr(text);
  if (cidr === null) {
    return finding(
      path,
      "PLAN_CIDR_INVALID",
      `${quote(text)} is no block such as 10.60.1.0/24, without host bits`,
    );
  }
  if (cidr.prefix < MIN_PREFIX || cidr.prefix > MAX_PREFIX) {
    return finding(
      path,
      "PLAN_CIDR_UNUSABLE",
      `a prefix is from ${MIN_PREFIX} to ${MAX_PREFIX}, ${text} has ${cidr.prefix}`,
    );
  }
  const unusable = UNUSABLE_BLOCKS.find((block) => overlap(block, cidr));
  return unusable === undefined
    ? cidr
    : finding(
        path,
        "PLAN_CIDR_UNUSABLE",
        `${text} is part of ${formatCidr(unusable)}, which no machine can have`,
      );
};

/** An address of a block's that a machine can have: neither its first nor its last. */
export const readMachineAddress = (text: string, cidr: Cidr, path: Path): Ipv4 | PlanFinding => {
  const address = parseIpv4(text);
  if (address === null) {
    return finding(
      path,
      "PLAN_ADDRESS_INVALID",
      `${quote(text)} is no IPv4 address such as 10.60.1.8`,
    );
  }
  return contains(cidr, address) && address !== firstOf(cidr) && address !== lastOf(cidr)
    ? address
    : finding(
        path,
        "PLAN_ADDRESS_OUTSIDE",
        `${text} is no machine's address in ${formatCidr(cidr)}`,
      );
};

export const overlap = (a: Cidr, b: Cidr): boolean =>
  firstOf(a) <= lastOf(b) && firstOf(b) <= lastOf(a);

const overlaps = (
  networks: readonly PlanNetwork[],
  switches: readonly SwitchEntry[],
): readonly PlanFinding[] =>
  networks.flatMap((network, index) => {
    const other = networks.slice(0, index).find(({ cidr }) => overlap(cidr, network.cidr));
    const path = switches.find(({ address }) => address === network.address)?.path ?? [];
    if (other === undefined) return [];
    const what = `${formatCidr(network.cidr)} overlaps with ${other.name}'s ${formatCidr(other.cidr)}`;
    return [finding([...path, "properties", "cidr"], "PLAN_CIDR_OVERLAP", what)];
  });
