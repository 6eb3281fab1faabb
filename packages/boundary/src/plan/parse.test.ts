import assert from "node:assert/strict";
import { test } from "node:test";
import { type DrydockError, isDrydockError } from "@drydock/evidence";
import type { ProvisioningPlan } from "../model/index.js";
import { PLAN_FILE, plan } from "../testing/index.js";
import { parsePlan } from "./parse.js";

const parse = (text: string): ProvisioningPlan =>
  parsePlan(Buffer.from(text), { file: "plan.yaml" });

const refusal = (text: string): DrydockError => {
  try {
    parse(text);
  } catch (error) {
    assert.ok(isDrydockError(error), String(error));
    return error;
  }
  throw new Error(`accepted: ${text}`);
};

test("what a plan means", () => {
  assert.deepEqual(parse(PLAN_FILE), plan);
});

test("what is left out of a rule is written out: its name, both directions, any protocol", () => {
  const [rule] = parse(
    PLAN_FILE.replace(/\{ name: nothing-to-wan, direction: in, /, "{ "),
  ).rules.filter(({ owner }) => owner === "provision.network.wan");
  assert.deepEqual(rule, {
    owner: "provision.network.wan",
    ownerType: "network",
    name: "acl-0",
    order: 0,
    direction: "inout",
    from: null,
    to: null,
    protocol: "any",
    ports: [],
    action: "deny",
    line: 27,
  });
});

test("ports come in their order, whatever the author's was", () => {
  const { rules } = parse(PLAN_FILE.replace("[80, 443]", "[443, 80]"));
  assert.deepEqual(rules, plan.rules);
});

test("an endpoint may be named by its address", () => {
  const { rules } = parse(
    PLAN_FILE.replace("from_net: lan, action", "from_net: provision.network.lan, action"),
  );
  assert.deepEqual(rules, plan.rules);
});

/** One change to a plan that is accepted without it, and what is said of it, and where. */
const REFUSED: readonly (readonly [
  what: string,
  from: string,
  to: string,
  code: string,
  place: string,
])[] = [
  ["no default", "default: deny\n", "", "FILE_INVALID", "1:1"],
  ["another default", "default: deny", "default: drop", "FILE_INVALID", "2:10"],
  ["another schema", "drydock.plan/v1", "drydock.plan/v2", "FILE_INVALID", "1:9"],
  ["an unknown key", "default: deny", "default: deny\nmode: strict", "FILE_INVALID", "3:1"],
  [
    "a type in lower case",
    "lan: { type: Switch }",
    "lan: { type: switch }",
    "FILE_INVALID",
    "5:16",
  ],
  [
    "an image that isn't pinned",
    "web: { type: VM }",
    "web: { type: VM, image: nginx }",
    "FILE_INVALID",
    "8:27",
  ],
  [
    "an unknown key of a rule",
    "name: syslog",
    "log: true, name: syslog",
    "PLAN_ACL_SHAPE_INVALID",
    "60:11",
  ],
  [
    "a rule that is none",
    "{ name: syslog,",
    "[ name ]\n      - { name: syslog,",
    "PLAN_ACL_SHAPE_INVALID",
    "60:9",
  ],
  [
    "a rule's name with a space",
    "name: syslog",
    "name: sys log",
    "PLAN_ACL_SHAPE_INVALID",
    "60:17",
  ],
  ["two rules of one name", "name: silent", "name: syslog", "PLAN_ACL_NAME_REPEATED", "61:9"],
  [
    "no action",
    "ports: [514], action: allow",
    "ports: [514]",
    "PLAN_ACL_ACTION_UNSUPPORTED",
    "60:9",
  ],
  [
    "another action",
    "ports: [514], action: allow",
    "ports: [514], action: reject",
    "PLAN_ACL_ACTION_UNSUPPORTED",
    "60:77",
  ],
  [
    "an action in upper case",
    "ports: [514], action: allow",
    "ports: [514], action: Allow",
    "PLAN_ACL_ACTION_UNSUPPORTED",
    "60:77",
  ],
  [
    "another direction",
    "direction: inout",
    "direction: both",
    "PLAN_ACL_DIRECTION_UNSUPPORTED",
    "61:36",
  ],
  [
    "another protocol",
    "protocol: icmp",
    "protocol: sctp",
    "PLAN_ACL_PROTOCOL_UNSUPPORTED",
    "47:48",
  ],
  [
    "an endpoint that is a node",
    "from_net: dmz, protocol: tcp, ports: [22]",
    "from_net: web, protocol: tcp, ports: [22]",
    "PLAN_ACL_ENDPOINT_UNRESOLVED",
    "19:61",
  ],
  ["an empty endpoint", "to_net: lan", 'to_net: ""', "PLAN_ACL_ENDPOINT_UNRESOLVED", "34:54"],
  [
    "an endpoint that is a number",
    "to_net: lan",
    "to_net: 7",
    "PLAN_ACL_ENDPOINT_UNRESOLVED",
    "34:54",
  ],
  [
    "an IPv6 endpoint",
    "to_net: lan",
    'to_net: "fd00::/64"',
    "PLAN_ACL_ENDPOINT_FAMILY_UNSUPPORTED",
    "34:54",
  ],
  ["port 0", "ports: [25]", "ports: [0]", "PLAN_ACL_PORTS_INVALID", "45:61"],
  ["port 65536", "ports: [25]", "ports: [65536]", "PLAN_ACL_PORTS_INVALID", "45:61"],
  ["a port that is a word", "ports: [25]", "ports: [smtp]", "PLAN_ACL_PORTS_INVALID", "45:61"],
  ["a port that is a boolean", "ports: [25]", "ports: [true]", "PLAN_ACL_PORTS_INVALID", "45:61"],
  ["no ports in a list of them", "ports: [25]", "ports: []", "PLAN_ACL_PORTS_INVALID", "45:60"],
  ["a port twice", "ports: [25]", "ports: [25, 25]", "PLAN_ACL_PORTS_INVALID", "45:60"],
  [
    "ports of ICMP",
    "protocol: icmp",
    "protocol: icmp, ports: [8]",
    "PLAN_ACL_PORTS_PROTOCOL_UNSUPPORTED",
    "47:61",
  ],
  [
    "ports of any protocol",
    "from_net: lan, action",
    "from_net: lan, ports: [8], action",
    "PLAN_ACL_PORTS_PROTOCOL_UNSUPPORTED",
    "21:65",
  ],
  [
    "a node without infrastructure",
    "  web: { type: VM }",
    "  web: { type: VM }\n  extra: { type: VM }",
    "PLAN_ENTRY_UNMATCHED",
    "9:10",
  ],
  [
    "a node without infrastructure, of a name that every object has",
    "  lan: { type: Switch }\n",
    "  constructor: { type: Switch }\n  lan: { type: Switch }\n",
    "PLAN_ENTRY_UNMATCHED",
    "5:16",
  ],
  ["infrastructure without a node", "  web: { type: VM }\n", "", "PLAN_ENTRY_UNMATCHED", "29:5"],
  [
    "a switch that is wired as a machine",
    "attacker: { type: VM }",
    "attacker: { type: Switch }",
    "PLAN_ENTRY_TYPE",
    "54:5",
  ],
  [
    "an IPv6 network",
    "cidr: 10.60.3.0/24",
    'cidr: "fd00:3::/64"',
    "PLAN_FAMILY_UNSUPPORTED",
    "25:25",
  ],
  [
    "a block with host bits",
    "cidr: 10.60.3.0/24",
    "cidr: 10.60.3.4/24",
    "PLAN_CIDR_INVALID",
    "25:25",
  ],
  [
    "a block without a prefix",
    "cidr: 10.60.3.0/24",
    "cidr: 10.60.3.0",
    "PLAN_CIDR_INVALID",
    "25:25",
  ],
  [
    "a block of two addresses",
    "cidr: 10.60.3.0/24",
    "cidr: 10.60.3.0/31",
    "PLAN_CIDR_UNUSABLE",
    "25:25",
  ],
  [
    "a block of link-local addresses",
    "cidr: 10.60.3.0/24",
    "cidr: 169.254.0.0/24",
    "PLAN_CIDR_UNUSABLE",
    "25:25",
  ],
  [
    "a block of half the world",
    "cidr: 10.60.3.0/24",
    "cidr: 0.0.0.0/1",
    "PLAN_CIDR_UNUSABLE",
    "25:25",
  ],
  [
    "overlapping blocks",
    "cidr: 10.60.3.0/24, gateway: 10.60.3.1",
    "cidr: 10.60.0.0/16, gateway: 10.60.0.1",
    "PLAN_CIDR_OVERLAP",
    "25:25",
  ],
  [
    "a gateway elsewhere",
    "gateway: 10.60.3.1",
    "gateway: 10.60.4.1",
    "PLAN_ADDRESS_OUTSIDE",
    "25:48",
  ],
  [
    "a gateway that is the broadcast address",
    "gateway: 10.60.3.1",
    "gateway: 10.60.3.255",
    "PLAN_ADDRESS_OUTSIDE",
    "25:48",
  ],
  [
    "a gateway with a leading zero",
    "gateway: 10.60.3.1",
    "gateway: 10.60.3.01",
    "PLAN_ADDRESS_INVALID",
    "25:48",
  ],
  ["an address elsewhere", "wan: 10.60.3.66", "wan: 10.60.4.66", "PLAN_ADDRESS_OUTSIDE", "55:25"],
  ["a network's own address", "wan: 10.60.3.66", "wan: 10.60.3.0", "PLAN_ADDRESS_OUTSIDE", "55:25"],
  ["no address", "wan: 10.60.3.66", "wan: somewhere", "PLAN_ADDRESS_INVALID", "55:25"],
  ["the gateway's address", "wan: 10.60.3.66", "wan: 10.60.3.1", "PLAN_ADDRESS_TAKEN", "55:25"],
  ["another's address", "lan: 10.60.1.30", "lan: 10.60.1.20", "PLAN_ADDRESS_TAKEN", "58:25"],
  ["a link to a node", "links: [wan]", "links: [web]", "PLAN_LINK_UNRESOLVED", "54:13"],
  [
    "a link without an address",
    "links: [wan]",
    "links: [wan, lan]",
    "PLAN_LINK_WITHOUT_ADDRESS",
    "54:18",
  ],
  [
    "two addresses on a link",
    "[{ wan: 10.60.3.66 }]",
    "[{ wan: 10.60.3.66 }, { wan: 10.60.3.67 }]",
    "PLAN_LINK_WITHOUT_ADDRESS",
    "55:46",
  ],
  [
    "an address without a link",
    "[{ wan: 10.60.3.66 }]",
    "[{ wan: 10.60.3.66 }, { lan: 10.60.1.67 }]",
    "PLAN_LINK_WITHOUT_ADDRESS",
    "55:46",
  ],
  ["a link twice", "links: [wan]", "links: [wan, wan]", "FILE_INVALID", "54:12"],
  [
    "a name in upper case",
    "  attacker: { type: VM }",
    "  Attacker: { type: VM }",
    "FILE_INVALID",
    "12:13",
  ],
];

for (const [what, from, to, code, place] of REFUSED) {
  test(`${what} is refused with its code and place`, () => {
    assert.ok(PLAN_FILE.includes(from), from);
    const error = refusal(PLAN_FILE.replace(from, to));
    assert.equal(error.code, code, error.message);
    assert.equal(/^plan\.yaml:(\d+:\d+): /.exec(error.message)?.[1], place, error.message);
    assert.ok(error.fix);
  });
}

test("everything that is wrong is said at once, and a plan with one wrong rule is none", () => {
  const { code, message } = refusal(
    PLAN_FILE.replace("wan: 10.60.3.66", "wan: 10.60.3.1").replace("to_net: lan", "to_net: web"),
  );
  assert.equal(code, "PLAN_ADDRESS_TAKEN");
  assert.equal(message.split("\n").length, 2);
  assert.match(message, /^plan\.yaml:34:54: PLAN_ACL_ENDPOINT_UNRESOLVED: "web" is no network/m);
});
