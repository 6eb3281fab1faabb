import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ReadAnswer, ReadClient } from "@drydock/acceptance";
import { TransportError } from "@drydock/acceptance";
import type { JsonObject } from "@drydock/evidence";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { alias, TestAppliance } from "../appliance/testing/appliance.js";
import { dryRun } from "./dry-run.js";
import { preflight } from "./preflight.js";
import { countReferences, names } from "./references.js";
import { SURFACES } from "./surfaces.js";

const NAME = "LAB_ADR026_ALIAS";
const NOW = Date.UTC(2026, 10, 30, 12);
const SECRET = "a-description-that-nobody-may-see";
const CONFIG = {
  target: { host: "candidate.lab.invalid", port: 443 },
  identity: "lab-adr026",
  keyFile: "/k",
  candidate: NAME,
  attestationFile: "/a",
};
const ATTESTATION = {
  labIdentity: "lab-adr026",
  candidate: NAME,
  issuedAt: NOW,
  expiresAt: NOW + 600_000,
};

const lab = () => {
  const appliance = new TestAppliance();
  appliance.ok("POST", "/firewall/alias", { body: alias("other") });
  appliance.ok("POST", "/firewall/alias", { body: alias(NAME, { descr: SECRET }) });
  const asked: string[] = [];
  let answer = (path: string, given: ReadAnswer): ReadAnswer => {
    void path;
    return given;
  };
  const read: ReadClient = {
    async get(path, query = {}) {
      asked.push(path);
      const { status, data, id } = appliance.send("GET", path.replace("/api/v2", ""), {
        query: new URLSearchParams(
          Object.entries(query).map(([k, v]): [string, string] => [k, `${v}`]),
        ).toString(),
      });
      const body = { code: status, status: "ok", response_id: id, message: "", data };
      return answer(path, { status, body });
    },
  };
  let now = NOW;
  return {
    appliance,
    asked,
    inputs: { config: CONFIG, attestation: ATTESTATION, read, clock: () => now },
    at: (time: number) => {
      now = time;
    },
    answering: (change: typeof answer) => {
      answer = change;
    },
  };
};

const fails = (inputs: Parameters<typeof preflight>[0], code: string, message = /./) =>
  assert.rejects(preflight(inputs), { code, message });

describe("a preflight", () => {
  test("of an alias that nothing names passes, and shows no value of the appliance", async () => {
    const { inputs, asked } = lab();
    const report = await preflight(inputs);
    assert.deepEqual(
      report.automatic_dependency_checks.map(({ surface }) => surface),
      SURFACES.map(({ surface }) => surface),
    );
    assert.deepEqual(report.candidate, {
      name: NAME,
      numeric_locator: 1,
      type: "host",
      member_count: 1,
      detail_count: 1,
    });
    assert.equal(report.global_dependency_proof, false);
    assert.deepEqual(report.uncovered_dependency_surfaces, [
      "other_operational_configuration",
      "routing",
      "services",
      "vpn",
    ]);
    assert.doesNotMatch(JSON.stringify(report), new RegExp(`${SECRET}|192\\.0\\.2\\.77|"one"`));
    assert.deepEqual(new Set(asked), new Set(SURFACES.map(({ path }) => path)));
  });

  test("of a dry run says what would be sent, and sends nothing", async () => {
    const { inputs, appliance } = lab();
    const before = JSON.stringify(appliance.state.configuration);
    const { operation } = await dryRun(inputs, "adr026-review");
    assert.deepEqual(operation, {
      mode: "READ_ONLY_DRY_RUN",
      semantic_unit: "set_firewall_alias_description_v1",
      method: "PATCH",
      endpoint_symbol: "FIREWALL_ALIAS",
      test_case_id: "adr026-review",
      sent: false,
    });
    assert.equal(JSON.stringify(appliance.state.configuration), before);
    for (const id of ["", "-x", "a b", "x".repeat(65), "a\n"])
      await assert.rejects(dryRun(inputs, id), { code: "LAB_TEST_CASE" });
  });

  const RULE = {
    type: "pass",
    interface: ["LAN"],
    ipprotocol: "inet",
    protocol: "tcp",
    source: "any",
    destination: "any",
  };
  const FORWARD = {
    interface: "WAN",
    protocol: "tcp",
    source: "any",
    destination: "WAN:ip",
    destination_port: "8443",
    target: "192.0.2.9",
    local_port: "443",
  };
  const OUTBOUND = { interface: "WAN", source: "any", destination: "any", target: "WAN:ip" };
  const ONE_TO_ONE = {
    interface: "WAN",
    external: "203.0.113.4",
    source: "192.0.2.5",
    destination: "any",
  };
  const ROUTE = { network: "198.51.100.0/24", gateway: "WAN_DHCP" };
  const PLACES: readonly (readonly [string, string, JsonObject, JsonObject])[] = [
    ["firewall_rules", "/firewall/rule", RULE, { source: NAME }],
    ["firewall_rules", "/firewall/rule", RULE, { destination: `!${NAME}` }],
    ["firewall_rules", "/firewall/rule", RULE, { source: NAME, disabled: true }],
    ["nat_port_forwards", "/firewall/nat/port_forward", FORWARD, { source: NAME }],
    ["nat_port_forwards", "/firewall/nat/port_forward", FORWARD, { destination: NAME }],
    ["nat_port_forwards", "/firewall/nat/port_forward", FORWARD, { target: NAME }],
    ["nat_outbound_mappings", "/firewall/nat/outbound/mapping", OUTBOUND, { source: NAME }],
    ["nat_outbound_mappings", "/firewall/nat/outbound/mapping", OUTBOUND, { destination: NAME }],
    [
      "nat_one_to_one_mappings",
      "/firewall/nat/one_to_one/mapping",
      ONE_TO_ONE,
      { destination: NAME },
    ],
    ["static_routes", "/routing/static_route", ROUTE, { network: NAME }],
    ["firewall_aliases", "/firewall/alias", alias("nesting"), { address: [NAME] }],
  ];
  for (const [surface, path, plain, naming] of PLACES)
    test(`fails for ${JSON.stringify(naming)} in ${surface}, and not without it`, async () => {
      const { appliance, inputs } = lab();
      appliance.ok("POST", path, { body: { ...plain, descr: `about ${NAME}` } });
      await preflight(inputs);
      const more = path === "/firewall/alias" ? { name: "nesting_2" } : {};
      appliance.ok("POST", path, { body: { ...plain, ...more, ...naming } });
      await fails(inputs, "LAB_REFERENCED", new RegExp(`named in ${surface}`));
    });

  test("fails for a port alias in any port of rules and forwards", async () => {
    const ports: readonly (readonly [string, JsonObject, string])[] = [
      ["/firewall/rule", RULE, "source_port"],
      ["/firewall/rule", RULE, "destination_port"],
      ["/firewall/nat/port_forward", FORWARD, "source_port"],
      ["/firewall/nat/port_forward", FORWARD, "destination_port"],
      ["/firewall/nat/port_forward", FORWARD, "local_port"],
    ];
    for (const [path, plain, field] of ports) {
      const { appliance, inputs } = lab();
      appliance.ok("DELETE", "/firewall/alias", { query: "id=1" });
      appliance.ok("POST", "/firewall/alias", {
        body: alias(NAME, { type: "port", address: ["443"] }),
      });
      await preflight(inputs);
      appliance.ok("POST", path, { body: { ...plain, [field]: NAME } });
      await fails(inputs, "LAB_REFERENCED");
    }
  });

  for (const { surface, path } of SURFACES.slice(1)) {
    test(`fails for a route, tunnel or rule of ${surface} that names it in a field nobody knows`, async () => {
      const { inputs, answering } = lab();
      const with_ = (row: JsonObject) =>
        answering((asked, given) =>
          asked === path
            ? { status: 200, body: { ...(given.body as object), data: [row] } }
            : given,
        );
      with_({ id: 0, descr: NAME, deep: { list: ["x", `${NAME}_2`] } });
      await preflight(inputs);
      with_({ id: 0, deep: { list: ["x", NAME] } });
      await fails(inputs, "LAB_REFERENCED");
    });

    test(`fails when ${surface} is refused, broken, malformed or perhaps cut`, async () => {
      const { inputs, answering } = lab();
      const body = { code: 200, status: "ok", response_id: "SUCCESS", message: "", data: [] };
      const rows = (count: number) => Array.from({ length: count }, (_, id) => ({ id }));
      const wrong: readonly ReadAnswer[] = [
        { status: 403, body },
        { status: 500, body },
        { status: 302, body: null },
        { status: 200, body: null },
        { status: 200, body: [] },
        { status: 200, body: { ...body, code: 404 } },
        { status: 200, body: { ...body, response_id: "MODEL_OBJECT_NOT_FOUND" } },
        { status: 200, body: { ...body, data: {} } },
        { status: 200, body: { ...body, data: ["x"] } },
        { status: 200, body: { ...body, data: rows(500) } },
      ];
      for (const broken of wrong) {
        answering((asked, given) => (asked === path ? broken : given));
        await fails(inputs, "LAB_QUERY", new RegExp(`^${surface} `));
      }
      answering((asked, given) => {
        if (asked !== path) return given;
        throw new TransportError("TRANSPORT_TIMEOUT");
      });
      await fails(inputs, "LAB_QUERY", /TRANSPORT_TIMEOUT/);
      answering((asked, given) =>
        asked === path ? { status: 200, body: { ...body, data: rows(499) } } : given,
      );
      await preflight(inputs);
    });
  }

  test("fails for a candidate that isn't one, or isn't one alone", async () => {
    const { appliance, inputs } = lab();
    appliance.ok("DELETE", "/firewall/alias", { query: "id=1" });
    await fails(inputs, "LAB_CANDIDATE", /TARGET_ABSENT/);
    appliance.ok("POST", "/firewall/alias", { body: alias(NAME, { detail: [] }) });
    await fails(inputs, "LAB_CANDIDATE", /TARGET_UNSUPPORTED/);
  });

  test("asks nothing without a valid attestation, and says nothing after it expired", async () => {
    const { inputs, asked, at, answering } = lab();
    at(NOW + 600_000);
    await fails(inputs, "LAB_ATTESTATION_EXPIRED");
    assert.deepEqual(asked, []);
    at(NOW + 599_999);
    await preflight(inputs);
    answering((path, given) => {
      if (path === SURFACES.at(-1)?.path) at(NOW + 600_000);
      return given;
    });
    await fails(inputs, "LAB_ATTESTATION_EXPIRED");
  });
});

describe("a reference", () => {
  test("is a whole word", () => {
    for (const text of ["A_B", "!A_B", "A_B:ip", "x,A_B", "A_B-A_C", " A_B "])
      assert.ok(names(text, "A_B"), text);
    for (const text of ["A_B_", "XA_B", "A_BC", "A_B2", "a_b", "A-B", ""])
      assert.ok(!names(text, "A_B"), text);
  });

  test("is found wherever it stands, but in prose and in the alias's own name", () => {
    const place = fc.array(fc.string({ minLength: 1, maxLength: 5 }), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(place, fc.boolean(), ([first = "k", ...rest], inList) => {
        const deep = rest.reduce<unknown>(
          (inner, key) => (inList ? [inner] : { [key]: inner }),
          `!${NAME}`,
        );
        const row = Object.fromEntries([[first, deep]]) as JsonObject;
        assert.equal(countReferences([row], NAME, []), 1);
        assert.equal(countReferences([row], NAME, [first]), 0);
        assert.equal(countReferences([{ name: NAME }], NAME, []), 0);
      }),
      { numRuns: profile.fuzz, seed: profile.seed },
    );
  });
});
