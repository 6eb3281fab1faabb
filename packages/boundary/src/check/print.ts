import { describeGround, type Files, type Opinion } from "../meaning/index.js";
import { formatIpv4, type Packet } from "../model/index.js";
import { demanded } from "./agreement.js";
import type { CheckReport } from "./check.js";

const origin = ({ path, inPort, inBridge, inInterface }: Packet): string => {
  if (path === "from-host") return "from the host";
  return inBridge === null ? `by interface ${inInterface}` : `by port ${inPort} of ${inBridge}`;
};

const target = ({ path, outPort, outBridge, outInterface }: Packet): string => {
  if (path === "to-host") return "to the host";
  if (path === "link-local") return "to the host by a link-local group";
  const how = path === "routed" ? "routed " : "";
  return outBridge === null
    ? `${how}to interface ${outInterface}`
    : `${how}to port ${outPort} of ${outBridge}`;
};

const content = (packet: Packet): string => {
  switch (packet.etherType) {
    case "ip": {
      const hasPort = packet.protocol === "tcp" || packet.protocol === "udp";
      const destination = formatIpv4(packet.destination);
      const to = hasPort ? `${destination}:${packet.port}` : destination;
      return `${packet.state} ${packet.protocol} ${formatIpv4(packet.source)} → ${to}`;
    }
    case "arp":
      return `ARP of ${formatIpv4(packet.source)} at ${packet.arpMac}`;
    case "ip6":
      return `${packet.state} IPv6 ${packet.protocol}`;
    case "other":
      return "a frame that is neither IP nor ARP";
  }
};

/** A packet as one line. */
export const describePacket = (packet: Packet): string => {
  const mac = packet.path === "from-host" ? "" : ` from MAC ${packet.sourceMac}`;
  return `${content(packet)}${mac}, ${origin(packet)}, ${target(packet)}`;
};

const because = ({ grounds }: Opinion, files: Files): string =>
  grounds.map((ground) => describeGround(ground, files)).join("; ") || "it isn't its own";

/** A report for a person, the findings first. */
export const printReport = (report: CheckReport, files: Files): string => {
  const { differences, differing, conflicts, gaps, advisories, cells } = report;
  return [
    ...differences.flatMap(({ authority, packet, expected, ruleset }) => [
      `difference: ${describePacket(packet)}`,
      `  the ${authority}'s rules say ${ruleset}, and ${demanded(expected) ?? "nothing"} is meant: ${because(expected, files)}`,
    ]),
    ...(differing > differences.length
      ? [`  and ${differing - differences.length} more classes of packets that differ`]
      : []),
    ...conflicts.flatMap(({ packet, scenario, platform }) => [
      `conflict: ${describePacket(packet)}`,
      `  the scenario says ${scenario.action}: ${because(scenario, files)}`,
      `  the platform says ${platform.action}: ${because(platform, files)}`,
    ]),
    ...gaps.map(({ about, message }) => `gap: ${about}: ${message}`),
    ...advisories.map(
      ({ kind, rule }) =>
        `advice: rule "${rule.name}" of ${rule.owner} is ${kind} (${files.plan}:${rule.line})`,
    ),
    `${report.ok ? "as meant" : "not as meant"}: ${cells} classes of packets compared`,
    "",
  ].join("\n");
};
