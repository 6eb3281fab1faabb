import assert from "node:assert/strict";
import { test } from "node:test";
import { boundPlatform, boundScenario, plan } from "../testing/index.js";
import { predictTruthTable, type TruthCell } from "./truth-table.js";

const boundary = { scenario: boundScenario, platform: boundPlatform };
const table = predictTruthTable(boundary, plan.nodes);

const nameOf = ({ holder, network }: TruthCell["source"]): string =>
  `${holder.split(".").at(-1)}@${network.split(".").at(-1)}`;

const cellsOf = (source: string, destination: string, protocol: string): readonly TruthCell[] =>
  table.filter(
    (cell) =>
      nameOf(cell.source) === source &&
      nameOf(cell.destination) === destination &&
      cell.protocol === protocol,
  );

test("each pair is tried inside and outside of every class of ports that its rules tell apart", () => {
  const cells = cellsOf("workstation@lan", "mail@dmz", "tcp");
  assert.deepEqual(
    cells.map(({ port, expected, path }) => [port, expected, path]),
    [
      [25, "reachable", "routed"],
      [143, "reachable", "routed"],
      [30_001, "blocked", "routed"],
    ],
  );
  assert.deepEqual(
    cellsOf("workstation@lan", "mail@dmz", "icmp").map(({ port, expected }) => [port, expected]),
    [[null, "reachable"]],
  );
});

test("the deciding ground is the first denial, or what allowed", () => {
  const [open, , shut] = cellsOf("workstation@lan", "mail@dmz", "tcp");
  assert.ok(open?.ground.kind === "rule" && open.ground.rule.name === "smtp");
  assert.deepEqual(shut?.ground, { kind: "list-end", owner: "provision.node.mail", side: "in" });
});

test("what is allowed and doesn't come back the way it went is blocked, and says so", () => {
  // The sensor's default route is lan's, so that its answers to dmz's far side leave by lan.
  const [far] = cellsOf("workstation@lan", "sensor@dmz", "udp");
  assert.deepEqual(
    [far?.action, far?.expected, far?.reason, far?.path],
    ["allow", "blocked", "asymmetric-path", "routed"],
  );
  const [near] = cellsOf("workstation@lan", "sensor@lan", "udp");
  assert.deepEqual(
    [near?.action, near?.expected, near?.reason, near?.path],
    ["allow", "reachable", null, "same-bridge"],
  );
  const [web] = cellsOf("web@dmz", "sensor@lan", "udp");
  assert.equal(web?.expected, "blocked");
});

test("a crossing is reachable, everything between the authorities is blocked", () => {
  const crossing = cellsOf("participant@management", "management@management", "tcp");
  assert.deepEqual(
    crossing.map(({ port, expected }) => [port, expected]),
    [
      [3128, "blocked"],
      [8443, "reachable"],
      [30_001, "blocked"],
    ],
  );
  const across = table.filter(
    ({ source, destination }) => source.authority !== destination.authority,
  );
  assert.ok(across.length > 0);
  assert.ok(across.every(({ expected }) => expected === "blocked"));
});

test("both authorities have cells of both kinds, which a gate needs", () => {
  for (const authority of ["scenario", "platform"]) {
    for (const expected of ["reachable", "blocked"]) {
      assert.ok(
        table.some(
          (cell) =>
            cell.source.authority === authority &&
            cell.destination.authority === authority &&
            cell.expected === expected,
        ),
        `${authority} ${expected}`,
      );
    }
  }
});
