import assert from "node:assert/strict";
import { test } from "node:test";
import { isDrydockError } from "@drydock/evidence";
import type { AppliancePolicy } from "../model/index.js";
import { POLICY_FILE, policy } from "../testing/index.js";
import { parseAppliancePolicy } from "./parse.js";

const parse = (text: string): AppliancePolicy =>
  parseAppliancePolicy(Buffer.from(text), { file: "policy.json" });

test("what a policy means", () => {
  assert.deepEqual(parse(POLICY_FILE), policy);
});

test("our own fields may be missing: no resolver, five seconds, no host network", () => {
  const [first] = POLICY_FILE.split(',\n  "egress_resolvers"');
  const { egressResolvers, observationFreshnessSeconds, allowHostNetwork } = parse(`${first}\n}\n`);
  assert.deepEqual(
    [egressResolvers, observationFreshnessSeconds, allowHostNetwork],
    [[], 5, false],
  );
});

const SIGNED_MCP = `"recovery", "address": "127.0.0.1", "port": 8400, "protocol": "tcp" },
    { "audience": "host-mcp", "address": "127.0.0.1", "port": 2222, "protocol": "tcp" }`;
const RECOVERY = '"recovery", "address": "127.0.0.1", "port": 8400, "protocol": "tcp" }';
const CONTRACT = '"host_mcp_contract": "aptl.restricted-ssh-mcp/v1"';

/** What a policy may say as well. */
const ACCEPTED: readonly (readonly [
  what: string,
  ...changes: (readonly [from: string, to: string])[],
])[] = [
  ["the longest id", ["seat-default", "s".repeat(80)]],
  ["no crossing", [crossings(), "[]"]],
  ["no authority", [authorities(), "[]"]],
  ["a name in capitals with its dot", ["api.vendor.test", "API.Vendor.Test."]],
  ["a crossing by UDP", ['"tcp", "ports": [8443]', '"udp", "ports": [8443]']],
  [
    "the least bounds",
    ["32,", "1,"],
    ["4096,", "1024,"],
    [": 5,\n", ": 1,\n"],
    ["10,", "1,"],
    ["60\n", "5\n"],
  ],
  [
    "the greatest bounds",
    ["32,", "256,"],
    ["4096,", "16384,"],
    [": 5,\n", ": 30,\n"],
    ["10,", "60,"],
    ["60\n", "600\n"],
  ],
  ["another loopback address", ["127.0.0.1", "127.0.0.53"]],
  ["no publication", [publications(), "[]"]],
  ["no holder", ['["x.role=deployer"]', "[]"]],
  ["a contract with its door", [RECOVERY, SIGNED_MCP], ['"host_mcp_contract": null', CONTRACT]],
  ["an hour of freshness", ['freshness_seconds": 5', 'freshness_seconds": 3600']],
  ["three resolvers", ['["192.0.2.53"]', '["192.0.2.53", "10.0.0.2", "9.9.9.9"]']],
  ["the host's network", ['network": false', 'network": true']],
];

for (const [what, ...changes] of ACCEPTED) {
  test(`a policy may have ${what}`, () => {
    assert.doesNotThrow(() => parse(changed(...changes)));
  });
}

type Refused = readonly [
  what: string,
  code: string,
  ...changes: (readonly [from: string, to: string])[],
];

/** One change to a policy that is accepted without it. */
const REFUSED: readonly Refused[] = [
  ["an unknown key", "FILE_INVALID", ['"generation": 3', '"generation": 3, "more": 1']],
  ["a key twice", "FILE_SYNTAX", ['"generation": 3', '"generation": 3, "generation": 3']],
  ["a float", "FILE_SYNTAX", ['"generation": 3', '"generation": 3.0']],
  [
    "the version without zones",
    "POLICY_SCHEMA_VERSION",
    ["appliance-boundary/v1", "appliance-boundary/v2"],
  ],
  ["an id in capitals", "POLICY_ID_INVALID", ["seat-default", "Seat"]],
  ["an id of 81", "POLICY_ID_INVALID", ["seat-default", "s".repeat(81)]],
  ["generation 0", "POLICY_GENERATION_INVALID", ['"generation": 3', '"generation": 0']],
  ["a generation in quotes", "POLICY_GENERATION_INVALID", ['"generation": 3', '"generation": "3"']],
  [
    "no workbench version",
    "POLICY_WORKBENCH_VERSION_INVALID",
    ['  "workbench_policy_version": "participant-workbench-profile/v1",\n', ""],
  ],
  [
    "default accept",
    "POLICY_DEFAULT_DENY_REQUIRED",
    ['"default_deny": true', '"default_deny": false'],
  ],
  ["no default", "POLICY_DEFAULT_DENY_REQUIRED", ['"default_deny": true,', ""]],
  ["a selector without a value", "POLICY_SELECTOR_INVALID", ["x.net=egress", "x.net="]],
  ["a selector that is a key", "POLICY_SELECTOR_INVALID", ["x.net=egress", "x.net"]],
  ["a selector with a space", "POLICY_SELECTOR_INVALID", ["x.zone=egress", "x.zone=a b"]],
  ["no selector for a zone", "POLICY_SELECTOR_INVALID", [',\n    "egress": "x.net=egress"', ""]],
  [
    "a fourth zone",
    "POLICY_SELECTOR_INVALID",
    ['"egress": "x.net=egress"', '"egress": "x.net=egress", "dmz": "x.net=dmz"'],
  ],
  ["two networks by one label", "POLICY_SELECTOR_REPEATED", ["x.net=egress", "x.net=management"]],
  ["two anchors by one label", "POLICY_SELECTOR_REPEATED", ["x.zone=egress", "x.zone=participant"]],
  [
    "a network by our label",
    "POLICY_SELECTOR_RESERVED",
    ["x.net=egress", "dev.drydock.plan-address=provision.network.wan"],
  ],
  [
    "a holder by our label",
    "POLICY_SELECTOR_RESERVED",
    ["x.role=deployer", "dev.drydock.plan-address=provision.node.web"],
  ],
  [
    "a crossing outwards",
    "POLICY_CROSSING_INEXPRESSIBLE",
    [
      '"source": "participant", "destination": "management"',
      '"source": "participant", "destination": "egress"',
    ],
  ],
  [
    "a crossing back",
    "POLICY_CROSSING_INEXPRESSIBLE",
    [
      '"source": "participant", "destination": "management"',
      '"source": "management", "destination": "participant"',
    ],
  ],
  [
    "a crossing from outside",
    "POLICY_CROSSING_INEXPRESSIBLE",
    [
      '"source": "management", "destination": "egress"',
      '"source": "egress", "destination": "management"',
    ],
  ],
  [
    "a crossing within a zone",
    "POLICY_CROSSING_INEXPRESSIBLE",
    [
      '"source": "management", "destination": "egress"',
      '"source": "management", "destination": "management"',
    ],
  ],
  [
    "a crossing from a scenario",
    "POLICY_CROSSING_INEXPRESSIBLE",
    ['"source": "management", "destination": "egress"', '"source": "lan", "destination": "egress"'],
  ],
  [
    "a crossing of ICMP",
    "POLICY_CROSSING_INVALID",
    ['"tcp", "ports": [8443]', '"icmp", "ports": [8443]'],
  ],
  ["a crossing without ports", "POLICY_CROSSING_INVALID", ["[8443]", "[]"]],
  ["a crossing's port twice", "POLICY_CROSSING_INVALID", ["[8443]", "[8443, 8443]"]],
  ["a crossing's port 0", "POLICY_CROSSING_INVALID", ["[8443]", "[0]"]],
  ["a crossing without a purpose", "POLICY_CROSSING_INVALID", [', "purpose": "workbench"', ""]],
  ["a purpose of two lines", "POLICY_CROSSING_INVALID", ['"workbench"', '"work\\nbench"']],
  ["a purpose of 81", "POLICY_CROSSING_INVALID", ['"workbench"', `"${"p".repeat(81)}"`]],
  [
    "a crossing twice",
    "POLICY_CROSSING_REPEATED",
    [
      '"source": "participant", "destination": "management", "protocol": "tcp", "ports": [8443]',
      '"source": "management", "destination": "egress", "protocol": "tcp", "ports": [3128]',
    ],
  ],
  ["an address for an authority", "POLICY_AUTHORITY_INVALID", ["api.vendor.test", "192.0.2.1"]],
  ["an address in hexadecimal", "POLICY_AUTHORITY_INVALID", ["api.vendor.test", "0xc0.0x0"]],
  ["a pattern", "POLICY_AUTHORITY_INVALID", ["api.vendor.test", "*.vendor.test"]],
  ["a URL", "POLICY_AUTHORITY_INVALID", ["api.vendor.test", "https://api.vendor.test"]],
  ["a single label", "POLICY_AUTHORITY_INVALID", ["api.vendor.test", "localhost"]],
  ["a name with a port", "POLICY_AUTHORITY_INVALID", ["api.vendor.test", "api.vendor.test:443"]],
  ["a name that isn't ASCII", "POLICY_AUTHORITY_INVALID", ["api.vendor.test", "äpi.vendor.test"]],
  ["an A-label of nothing", "POLICY_AUTHORITY_INVALID", ["api.vendor.test", "xn--a.test"]],
  ["a time service", "POLICY_AUTHORITY_INVALID", ['"port": 443', '"port": 123']],
  [
    "an authority by UDP",
    "POLICY_AUTHORITY_INVALID",
    ['"protocol": "tcp",\n      "port": 443', '"protocol": "udp",\n      "port": 443'],
  ],
  [
    "an authority of another zone",
    "POLICY_AUTHORITY_INVALID",
    ['"source": "egress"', '"source": "management"'],
  ],
  ["another resolution", "POLICY_AUTHORITY_INVALID", ["proxy-resolved-all-global", "any"]],
  [
    "another disposition",
    "POLICY_AUTHORITY_INVALID",
    ['"failure_disposition": "deny"', '"failure_disposition": "allow"'],
  ],
  [
    "an authority twice",
    "POLICY_AUTHORITY_REPEATED",
    [authorities(), `[${authority("a.test")}, ${authority("A.test.")}]`],
  ],
  ["no connections", "POLICY_LIMITS_INVALID", ["32,", "0,"]],
  ["257 connections", "POLICY_LIMITS_INVALID", ["32,", "257,"]],
  ["a short header", "POLICY_LIMITS_INVALID", ["4096,", "1023,"]],
  ["a long header", "POLICY_LIMITS_INVALID", ["4096,", "16385,"]],
  [
    "31 seconds for a header",
    "POLICY_LIMITS_INVALID",
    ['header_timeout_seconds": 5', 'header_timeout_seconds": 31'],
  ],
  ["61 seconds to connect", "POLICY_LIMITS_INVALID", ["10,", "61,"]],
  ["4 seconds idle", "POLICY_LIMITS_INVALID", ["60\n", "4\n"]],
  ["601 seconds idle", "POLICY_LIMITS_INVALID", ["60\n", "601\n"]],
  ["a missing bound", "POLICY_LIMITS_INVALID", ['    "max_connections": 32,\n', ""]],
  ["a public publication", "POLICY_PUBLICATION_INVALID", ["127.0.0.1", "0.0.0.0"]],
  ["a publication on IPv6", "POLICY_PUBLICATION_INVALID", ["127.0.0.1", "::1"]],
  [
    "another audience",
    "POLICY_PUBLICATION_INVALID",
    ['"audience": "recovery"', '"audience": "anyone"'],
  ],
  ["two publications at one place", "POLICY_PUBLICATION_REPEATED", ["8400", "3000"]],
  [
    "a contract without a door",
    "POLICY_HOST_MCP_MISMATCH",
    ['"host_mcp_contract": null', CONTRACT],
  ],
  ["a door without a contract", "POLICY_HOST_MCP_MISMATCH", [RECOVERY, SIGNED_MCP]],
  [
    "a door by UDP",
    "POLICY_HOST_MCP_MISMATCH",
    [RECOVERY, SIGNED_MCP.replace(/"tcp" }$/, '"udp" }')],
    ['"host_mcp_contract": null', CONTRACT],
  ],
  [
    "two doors",
    "POLICY_HOST_MCP_MISMATCH",
    [RECOVERY, SIGNED_MCP.replace('"recovery"', '"host-mcp"')],
    ['"host_mcp_contract": null', CONTRACT],
  ],
  [
    "another contract",
    "POLICY_HOST_MCP_MISMATCH",
    ['"host_mcp_contract": null', '"host_mcp_contract": "ssh"'],
  ],
  ["no word on a contract", "POLICY_HOST_MCP_MISMATCH", ['"host_mcp_contract": null,', ""]],
  [
    "a holder twice",
    "POLICY_HOLDERS_INVALID",
    ['["x.role=deployer"]', '["x.role=deployer", "x.role=deployer"]'],
  ],
  [
    "any daemon",
    "POLICY_HOLDERS_INVALID",
    ['"require_guest_daemon": true', '"require_guest_daemon": false'],
  ],
  ["a resolver by name", "POLICY_RESOLVER_INVALID", ["192.0.2.53", "dns.test"]],
  ["a resolver on this host", "POLICY_RESOLVER_INVALID", ["192.0.2.53", "127.0.0.53"]],
  ["a resolver that is a group", "POLICY_RESOLVER_INVALID", ["192.0.2.53", "224.0.0.251"]],
  [
    "a resolver twice",
    "POLICY_RESOLVER_INVALID",
    ['["192.0.2.53"]', '["192.0.2.53", "192.0.2.53"]'],
  ],
  [
    "four resolvers",
    "POLICY_RESOLVER_INVALID",
    ['["192.0.2.53"]', '["9.9.9.1", "9.9.9.2", "9.9.9.3", "9.9.9.4"]'],
  ],
  ["no freshness", "POLICY_FRESHNESS_INVALID", ['freshness_seconds": 5', 'freshness_seconds": 0']],
  [
    "more than an hour of freshness",
    "POLICY_FRESHNESS_INVALID",
    ['freshness_seconds": 5', 'freshness_seconds": 3601'],
  ],
  [
    "the host's network in words",
    "POLICY_HOST_NETWORK_INVALID",
    ['network": false', 'network": "no"'],
  ],
];

for (const [what, code, ...changes] of REFUSED) {
  test(`a policy with ${what} is refused`, () => {
    assert.throws(
      () => parse(changed(...changes)),
      (error) => {
        assert.ok(isDrydockError(error), String(error));
        assert.equal(error.code, code, error.message);
        assert.match(error.message, /^policy\.json:\d+:\d+: /);
        return true;
      },
    );
  });
}

function changed(...changes: readonly (readonly [from: string, to: string])[]): string {
  return changes.reduce((text, [from, to]) => {
    assert.ok(text.includes(from), from);
    return text.replace(from, to);
  }, POLICY_FILE);
}

function part(key: string): string {
  const found = new RegExp(`"${key}": (\\[[\\s\\S]*?\\n  \\])`).exec(POLICY_FILE)?.[1];
  assert.ok(found);
  return found;
}

function crossings(): string {
  return part("fixed_crossings");
}

function authorities(): string {
  return part("egress_authorities");
}

function publications(): string {
  return part("guest_publications");
}

function authority(name: string): string {
  return `{ "source": "egress", "authority": "${name}", "protocol": "tcp", "port": 443, "purpose": "p",
    "resolution": "proxy-resolved-all-global", "failure_disposition": "deny" }`;
}
