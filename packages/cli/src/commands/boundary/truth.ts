import { type Boundary, type PlanNode, predictTruthTable, type TruthCell } from "@drydock/boundary";

/** What may be opened, by source and destination, and how much is tried and blocked beside it. */
export const truthJson = (boundary: Boundary, nodes: readonly PlanNode[]): readonly unknown[] =>
  predictTruthTable(boundary, nodes).map(
    ({ source, destination, protocol, port, path, expected, reason }) => ({
      source: placeName(source),
      destination: placeName(destination),
      protocol,
      port,
      path,
      expected,
      reason,
    }),
  );

/** One line for each pair that has a service between them, sources in order. */
export const printTruth = (boundary: Boundary, nodes: readonly PlanNode[]): string => {
  const cells = predictTruthTable(boundary, nodes);
  const pairs = new Map<string, { readonly services: string[]; blocked: number }>();
  for (const cell of cells) {
    const pair = `${placeName(cell.source).padEnd(26)} → ${placeName(cell.destination)}`;
    const row = pairs.get(pair) ?? { services: [], blocked: 0 };
    pairs.set(pair, row);
    if (cell.expected === "reachable") row.services.push(serviceName(cell));
    else row.blocked += 1;
  }
  const open = [...pairs].filter(([, { services }]) => services.length > 0);
  const width = Math.max(0, ...open.map(([pair]) => pair.length));
  const blocked = cells.filter(({ expected }) => expected === "blocked").length;
  return [
    ...open.map(([pair, { services }]) => `${pair.padEnd(width)}  ${services.join(", ")}`),
    `${cells.length - blocked} flows may be opened, ${blocked} that were thought of may not;`,
    `${pairs.size - open.length} of ${pairs.size} pairs have nothing between them`,
    "",
  ].join("\n");
};

/** `provision.node.web` on `provision.network.dmz` is `web@dmz`. */
const placeName = ({ holder, network }: TruthCell["source"]): string =>
  `${lastPart(holder)}@${lastPart(network)}`;

const lastPart = (address: string): string => address.slice(address.lastIndexOf(".") + 1);

const serviceName = ({ protocol, port }: TruthCell): string =>
  port === null ? protocol : `${protocol}/${port}`;
