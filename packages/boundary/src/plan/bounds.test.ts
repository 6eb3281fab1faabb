import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_LINKS, MAX_NETWORKS, MAX_NODES, MAX_PORTS, MAX_RULES } from "./bounds.js";
import { parsePlan } from "./parse.js";

interface Size {
  readonly networks?: number;
  readonly nodes?: number;
  readonly rules?: number;
  readonly links?: number;
  readonly ports?: number;
}

/** As JSON, since that is what may be long. */
const planOf = ({ networks = 1, nodes = 1, rules = 1, links = 1, ports = 1 }: Size): Buffer => {
  const switches = Array.from({ length: networks }, (_, index) => `net${index}`);
  const machines = Array.from({ length: nodes }, (_, index) => `node${index}`);
  const acl = { direction: "in", protocol: "tcp", action: "allow" };
  const acls = Array.from({ length: rules }, (_, index) => ({
    ...acl,
    name: `rule-${index}`,
    ports: Array.from({ length: ports }, (_, at) => 1 + ((index + at) % 65_535)),
  }));
  return Buffer.from(
    JSON.stringify({
      schema: "drydock.plan/v1",
      default: "deny",
      nodes: Object.fromEntries([
        ...switches.map((name) => [name, { type: "Switch" }]),
        ...machines.map((name) => [name, { type: "VM" }]),
      ]),
      infrastructure: Object.fromEntries([
        ...switches.map((name, index) => [
          name,
          {
            properties: { cidr: `10.${index}.0.0/16`, gateway: `10.${index}.0.1` },
            ...(index === 0 ? { acls } : {}),
          },
        ]),
        ...machines.map((name, index) => [
          name,
          {
            links: switches.slice(0, links),
            properties: switches
              .slice(0, links)
              .map((on, at) => ({ [on]: `10.${at}.${1 + (index >> 7)}.${1 + (index % 128)}` })),
          },
        ]),
      ]),
    }),
  );
};

const parse = (size: Size) => parsePlan(planOf(size), { file: "plan.json" });

test("a plan of the greatest size is read", () => {
  const { networks, nodes, rules } = parse({
    networks: MAX_NETWORKS,
    nodes: MAX_NODES,
    rules: MAX_RULES,
  });
  assert.deepEqual(
    [networks.length, nodes.length, rules.length],
    [MAX_NETWORKS, MAX_NODES, MAX_RULES],
  );
  assert.equal(
    parse({ networks: MAX_LINKS, links: MAX_LINKS }).nodes[0]?.attachments.length,
    MAX_LINKS,
  );
  assert.equal(parse({ ports: MAX_PORTS }).rules[0]?.ports.length, MAX_PORTS);
});

const BEYOND: readonly (readonly [size: Size, code: string])[] = [
  [{ networks: MAX_NETWORKS + 1 }, "PLAN_TOO_LARGE"],
  [{ nodes: MAX_NODES + 1 }, "PLAN_TOO_LARGE"],
  [{ networks: MAX_NETWORKS + 1, nodes: MAX_NODES }, "FILE_INVALID"],
  [{ rules: MAX_RULES + 1 }, "PLAN_ACL_SHAPE_INVALID"],
  [{ networks: MAX_LINKS + 1, links: MAX_LINKS + 1 }, "FILE_INVALID"],
  [{ ports: MAX_PORTS + 1 }, "PLAN_ACL_PORTS_INVALID"],
];

for (const [size, code] of BEYOND) {
  test(`one more is refused: ${JSON.stringify(size)}`, () => {
    assert.throws(() => parse(size), { code });
  });
}

test("rules are counted over all owners", () => {
  const text = planOf({ rules: MAX_RULES }).toString("utf8");
  const more = text.replace('"properties":[{', '"acls":[{"action":"deny"}],"properties":[{');
  assert.throws(() => parsePlan(Buffer.from(more), { file: "plan.json" }), {
    code: "PLAN_TOO_LARGE",
  });
});
