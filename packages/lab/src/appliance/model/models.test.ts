import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JsonObject } from "@drydock/evidence";
import { TestAppliance } from "../testing/appliance.js";

interface Kind {
  readonly path: string;
  readonly valid: JsonObject;
  /** One thing at a time that is different and taken. */
  readonly taken: readonly JsonObject[];
  /** And that is refused. */
  readonly refused: readonly (readonly [JsonObject, string])[];
}

const PORT = "400 PORT_FIELD_INVALID";
const ADDRESS = "400 FILTER_ADDRESS_FIELD_INVALID";
const SPECIAL = "400 SPECIAL_NETWORK_FIELD_INVALID";
const CHOICE = "400 FIELD_INVALID_CHOICE";
const REQUIRED = "400 FIELD_IS_REQUIRED";
const MISSING = "400 FOREIGN_MODEL_FIELD_VALUE_NOT_FOUND";

const KINDS: readonly Kind[] = [
  {
    path: "/firewall/rule",
    valid: {
      type: "pass",
      interface: ["LAN"],
      ipprotocol: "inet",
      protocol: "tcp",
      source: "any",
      destination: "HOSTS",
      destination_port: "PORTS",
    },
    taken: [
      { source: "192.0.2.1" },
      { source: "2001:db8::1" },
      { source: "192.0.2.0/24" },
      { source: "!HOSTS" },
      { source: "LAN" },
      { source: "LAN:ip" },
      { source: "(self)" },
      { source_port: "80" },
      { source_port: "80:90" },
      { source_port: null },
      { interface: ["any"] },
      { interface: ["LAN", "WAN"], floating: true, direction: "in" },
      { statetype: "synproxy state" },
      { gateway: "WAN_DHCP" },
    ],
    refused: [
      [{ type: "allow" }, CHOICE],
      [{ source: null }, REQUIRED],
      [{ source: "nobody" }, ADDRESS],
      [{ source: "PORTS" }, ADDRESS],
      [{ source: "DMZ:ip" }, ADDRESS],
      [{ source: "192.0.2.256" }, ADDRESS],
      [{ source: "192.0.2.0/33" }, ADDRESS],
      [{ source: "!any" }, "400 FILTER_RULE_ADDRESS_FIELD_WITH_INVERT_ANY"],
      [{ destination_port: "HOSTS" }, PORT],
      [{ destination_port: "0" }, PORT],
      [{ destination_port: "65536" }, PORT],
      [{ destination_port: "80-90" }, PORT],
      [{ destination_port: 80 }, "400 FIELD_INVALID_TYPE"],
      [{ interface: ["DMZ"] }, CHOICE],
      [{ interface: [] }, "400 FIELD_EMPTY_NOT_ALLOWED"],
      [{ interface: ["LAN", "WAN"] }, "400 FIREWALL_RULE_MULTIPLE_INTERFACE_WITHOUT_FLOATING"],
      [
        { protocol: "udp", statetype: "synproxy state" },
        "400 FIREWALL_RULE_SYNPROXY_STATE_TYPE_WITH_NON_TCP_PROTOCOL",
      ],
      [{ gateway: "NONE" }, MISSING],
    ],
  },
  {
    path: "/firewall/nat/port_forward",
    valid: {
      interface: "WAN",
      protocol: "tcp",
      source: "any",
      destination: "WAN:ip",
      destination_port: "443",
      target: "HOSTS",
      local_port: "PORTS",
    },
    taken: [{ target: "192.0.2.9" }, { target: "LAN:ip" }, { protocol: "icmp", local_port: null }],
    refused: [
      [{ target: "192.0.2.0/24" }, SPECIAL],
      [{ target: "LAN" }, SPECIAL],
      [{ target: "any" }, SPECIAL],
      [{ local_port: null }, REQUIRED],
      [{ local_port: "80:90" }, PORT],
      [{ associated_rule_id: "new" }, CHOICE],
    ],
  },
  {
    path: "/firewall/nat/outbound/mapping",
    valid: { interface: "WAN", source: "192.0.2.0/24", destination: "any", target: "WAN:ip" },
    taken: [
      { source: "(self)" },
      { source: "HOSTS" },
      { destination: "!HOSTS" },
      { nonat: true, target: null },
      { target: "192.0.2.1", target_subnet: 32 },
    ],
    refused: [
      [{ source: "192.0.2.1" }, ADDRESS],
      [{ source: "!HOSTS" }, ADDRESS],
      [{ destination: "(self)" }, ADDRESS],
      [{ target: null }, REQUIRED],
      [{ target_subnet: 0 }, "400 NUMERIC_RANGE_VALIDATOR_FAILED"],
      [
        { target: "192.0.2.1", target_subnet: 33 },
        "400 OUTBOUND_NAT_MAPPING_TARGET_SUBNET_TOO_LARGE_FOR_IPV4",
      ],
      [{ nat_port: "PORTS" }, PORT],
    ],
  },
  {
    path: "/firewall/nat/one_to_one/mapping",
    valid: { interface: "WAN", external: "192.0.2.8", source: "192.0.2.9", destination: "HOSTS" },
    taken: [{ source: "any" }, { destination: "any" }, { external: "WAN:ip" }],
    refused: [
      // Neither may be an alias.
      [{ external: "HOSTS" }, SPECIAL],
      [{ source: "HOSTS" }, ADDRESS],
      [
        { external: "2001:db8::1" },
        "400 ONE_TO_ONE_NAT_MAPPING_EXTERNAL_IP_DOES_NOT_MATCH_IPPROTOCOL",
      ],
      [
        { destination: "2001:db8::/32" },
        "400 ONE_TO_ONE_NAT_MAPPING_DESTINATION_IP_DOES_NOT_MATCH_IPPROTOCOL",
      ],
    ],
  },
  {
    path: "/routing/static_route",
    valid: { network: "NETS", gateway: "WAN_DHCP" },
    taken: [{ network: "198.51.100.0/24" }, { network: "HOSTS" }],
    refused: [
      [{ network: "198.51.100.1" }, "400 SUBNET_VALIDATOR_FAILED"],
      [{ network: "PORTS" }, "400 SUBNET_VALIDATOR_FAILED"],
      [{ network: "2001:db8::/32" }, "400 STATIC_ROUTE_NON_IPV4_NETWORK_WITH_IPV4_GATEWAY"],
      [{ gateway: "NONE" }, MISSING],
    ],
  },
  {
    path: "/vpn/openvpn/server",
    valid: {
      mode: "server_tls",
      dev_mode: "tun",
      protocol: "UDP4",
      interface: "WAN",
      local_network: ["NETS"],
    },
    taken: [{ tunnel_network: "192.0.2.0/24" }, { remote_networkv6: ["2001:db8::/32"] }],
    refused: [
      [{ tunnel_network: "NETS" }, "400 SUBNET_VALIDATOR_FAILED"],
      [{ local_network: ["2001:db8::/32"] }, "400 SUBNET_VALIDATOR_FAILED"],
      [{ local_network: ["PORTS"] }, "400 SUBNET_VALIDATOR_FAILED"],
      [{ mode: "p2p" }, CHOICE],
    ],
  },
  {
    path: "/vpn/openvpn/client",
    valid: {
      mode: "p2p_tls",
      dev_mode: "tun",
      protocol: "UDP4",
      interface: "WAN",
      server_addr: "192.0.2.1",
      remote_network: ["NETS", "198.51.100.0/24"],
    },
    taken: [{ remote_network: [] }],
    refused: [[{ server_addr: null }, REQUIRED]],
  },
  {
    path: "/system/restapi/access_list/entry",
    valid: { network: "192.0.2.0/24", users: ["admin"] },
    taken: [{ weight: 0 }, { users: [] }],
    refused: [
      [{ weight: 101 }, "400 NUMERIC_RANGE_VALIDATOR_FAILED"],
      [{ network: "HOSTS" }, "400 SUBNET_VALIDATOR_FAILED"],
      [{ users: ["nobody"] }, MISSING],
    ],
  },
  {
    path: "/user",
    valid: { name: "somebody", password: "secret-password" },
    taken: [{ priv: ["page-all", "api-v2-firewall-alias-patch"] }, { expires: "02/28/2027" }],
    refused: [
      [{ name: "admin" }, "400 FIELD_MUST_BE_UNIQUE"],
      [{ name: "a b" }, "400 REGEX_VALIDATOR_FAILED"],
      [{ password: null }, REQUIRED],
      [{ priv: ["api-v2-nonsense-get"] }, "404 USER_PRIV_NOT_FOUND"],
    ],
  },
];

const prepared = (): TestAppliance => {
  const appliance = new TestAppliance();
  for (const [name, type, address] of [
    ["HOSTS", "host", "192.0.2.5"],
    ["NETS", "network", "198.51.100.0/24"],
    ["PORTS", "port", "8443"],
  ] as const) {
    appliance.ok("POST", "/firewall/alias", { body: { name, type, address: [address] } });
  }
  return appliance;
};

for (const { path, valid, taken, refused } of KINDS) {
  describe(`an object of ${path}`, () => {
    const post = (change: JsonObject): string =>
      prepared().outcome("POST", path, { body: { ...valid, ...change } });

    for (const change of [{}, ...taken]) {
      test(`is taken with ${JSON.stringify(change)}`, () => {
        assert.equal(post(change), "200 SUCCESS");
      });
    }
    for (const [change, expected] of refused) {
      test(`is refused with ${JSON.stringify(change)}`, () => assert.equal(post(change), expected));
    }
    test("is read, changed and deleted, and comes back as it was made", () => {
      const appliance = prepared();
      const made = appliance.ok("POST", path, { body: valid }) as JsonObject;
      const query = `id=${String(made["id"])}`;
      assert.deepEqual(appliance.ok("GET", path, { query }), made);
      appliance.seconds += 5;
      const changed = appliance.ok("PATCH", path, { body: { id: made["id"] ?? 0 } }) as JsonObject;
      const { updated_time: before, ...rest } = made;
      const { updated_time: after, ...same } = changed;
      assert.deepEqual(same, rest);
      assert.equal(Number(after ?? 5) - Number(before ?? 0), 5);
      appliance.ok("DELETE", path, { query });
      assert.equal(appliance.outcome("GET", path, { query }), "404 MODEL_OBJECT_NOT_FOUND");
    });
  });
}

test("an alias that is named elsewhere can be deleted all the same", () => {
  const appliance = prepared();
  const [rule] = KINDS;
  appliance.ok("POST", "/firewall/rule", { body: rule?.valid ?? {} });
  appliance.ok("DELETE", "/firewall/alias", { query: "id=0" });
  const body = { id: 1, descr: "changed" };
  assert.equal(appliance.outcome("PATCH", "/firewall/rule", { body }), ADDRESS);
});

test("a password is hashed, kept when it isn't changed, and never shown", () => {
  const appliance = prepared();
  const made = appliance.ok("POST", "/user", { body: { name: "x", password: "visible" } });
  assert.ok(!JSON.stringify([made, appliance.list("/users"), appliance.state]).includes("visible"));
  const before = appliance.state.configuration.users[1]?.["password"];
  appliance.ok("PATCH", "/user", { body: { id: 1, descr: "changed" } });
  assert.equal(appliance.state.configuration.users[1]?.["password"], before);
});

test("entries of the access list are kept by weight, and the first about a client decides", () => {
  const appliance = prepared();
  const entry = { network: "192.0.2.1/32", type: "deny", weight: 0 };
  appliance.ok("POST", "/system/restapi/access_list/entry", { body: entry });
  const read = (clientAddress: string): number =>
    appliance.send("GET", "/firewall/aliases", { clientAddress }).status;
  assert.equal(read("192.0.2.1"), 403);
  assert.equal(read("192.0.2.2"), 200);
  assert.equal(read("2001:db8::1"), 200);
  assert.equal(read("nonsense"), 403);
});
