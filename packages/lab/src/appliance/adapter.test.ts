import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  type ApplianceRequest,
  pfsenseAliasDescription as adapter,
  ENDPOINTS,
  type ReadClient,
} from "@drydock/acceptance";
import { canonicalise, type JsonObject } from "@drydock/evidence";
import { keysOf, labAccounts, usersOf } from "./accounts.js";
import { alias, TestAppliance } from "./testing/appliance.js";

const LAB_KEY = "cc".repeat(24);
const fields = { "x-api-key": LAB_KEY };

/** With the three accounts of a lab, and an alias among others. */
const lab = (): TestAppliance => {
  const appliance = new TestAppliance();
  for (const name of ["LAB_A", "LAB_B", "LAB_C"]) {
    appliance.ok("POST", "/firewall/alias", { body: alias(name) });
  }
  const secrets = { admin: "a", supervisor: "s", lab: "l", labKey: LAB_KEY };
  const accounts = labAccounts(secrets);
  appliance.set({
    users: usersOf(accounts, (length) => new Uint8Array(length)),
    keys: keysOf(accounts),
  });
  return appliance;
};

const reader = (appliance: TestAppliance): ReadClient => ({
  get: async (path, query = {}) => {
    const text = new URLSearchParams(
      Object.entries(query).map(([name, value]) => [name, String(value)] as [string, string]),
    );
    const sent = { query: text.toString(), fields };
    const answer = appliance.raw("GET", path.replace("/api/v2", ""), sent);
    assert.ok(answer !== null, path);
    return { status: answer.status, body: answer.body };
  },
});

const send = (appliance: TestAppliance, { method, endpoint, body }: ApplianceRequest) => {
  const { path } = ENDPOINTS[endpoint];
  const answer = appliance.raw(method, path.replace("/api/v2", ""), { body, fields });
  assert.equal(answer?.status, 200, JSON.stringify(answer?.body));
  return adapter.parseResponse(answer.body);
};

/** The whole configuration without the one description. */
const others = (appliance: TestAppliance): string => {
  const { configuration } = appliance.state;
  const aliases = configuration.aliases.map((one) =>
    one["name"] === "LAB_B" ? { ...one, descr: "" } : one,
  );
  return canonicalise({ ...configuration, aliases });
};

describe("the alias adapter and the stand-in", () => {
  test("change one description and change it back, 25 times, and not a byte besides", async () => {
    const appliance = lab();
    const client = reader(appliance);
    const whole = canonicalise(appliance.state.configuration);
    const rest = others(appliance);
    for (let cycle = 0; cycle < 25; cycle += 1) {
      const intent = adapter.parseIntent({
        operation: "set_firewall_alias_description_v1",
        raw_target_hint: { alias_name: "LAB_B" },
        new_description: `cycle ${cycle}`,
      });
      const identity = adapter.naturalIdentity(intent) as JsonObject;
      const before = await adapter.readTarget(client, identity);
      send(appliance, adapter.buildRequest(intent, before));
      const after = await adapter.readTarget(client, identity);
      assert.ok(adapter.isSemanticallyVerified(before, after, intent));
      assert.equal(others(appliance), rest);
      assert.notEqual(canonicalise(appliance.state.configuration), whole);
      send(appliance, adapter.buildRollbackRequest(before, after));
      assert.ok(adapter.isRollbackVerified(before, await adapter.readTarget(client, identity)));
      assert.equal(canonicalise(appliance.state.configuration), whole);
    }
  });

  test("agree on what the lab's key may do, and that is this one change", () => {
    const appliance = lab();
    for (const [method, path, status] of [
      ["PATCH", "/firewall/alias", 200],
      ["POST", "/firewall/alias", 403],
      ["DELETE", "/firewall/alias", 403],
      ["PUT", "/firewall/aliases", 403],
      ["POST", "/firewall/apply", 403],
      ["PATCH", "/firewall/rule", 403],
      ["PATCH", "/system/restapi/settings", 403],
      ["GET", "/users", 403],
    ] as const) {
      const answer = appliance.raw(method, path, { body: { id: 1, descr: "x" }, fields });
      assert.equal(answer?.status, status, `${method} ${path}`);
    }
  });
});
