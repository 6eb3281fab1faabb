import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JsonValue } from "@drydock/evidence";
import { alias, basic, type Sent, TestAppliance } from "../testing/appliance.js";

/** Each obstacle, in the package's order, and how a request meets it. */
interface Obstacle {
  readonly name: string;
  readonly expected: string;
  readonly raise: (appliance: TestAppliance) => void;
  readonly sent: Partial<Sent>;
}

const LAB = { name: "lab", password: "lab-password-of-the-test" };

const setting = (appliance: TestAppliance, name: string, value: JsonValue): void =>
  appliance.set({ settings: { ...appliance.state.configuration.settings, [name]: value } });

const user = (appliance: TestAppliance, change: Record<string, JsonValue>): void =>
  appliance.set({
    users: appliance.state.configuration.users.map((one) =>
      one["name"] === LAB.name ? { ...one, ...change } : one,
    ),
  });

const OBSTACLES: readonly Obstacle[] = [
  {
    name: "enabled",
    expected: "503 ENDPOINT_REST_API_IS_NOT_ENABLED",
    raise: (appliance) => setting(appliance, "enabled", false),
    sent: {},
  },
  {
    name: "interface",
    expected: "403 ENDPOINT_INTERFACE_NOT_ALLOWED",
    raise: (appliance) => setting(appliance, "allowed_interfaces", ["WAN"]),
    sent: {},
  },
  {
    name: "authentication",
    expected: "401 AUTH_AUTHENTICATION_FAILED",
    raise: () => undefined,
    sent: { fields: basic({ ...LAB, password: "wrong" }) },
  },
  {
    name: "privilege",
    expected: "403 AUTH_AUTHORIZATION_FAILED",
    raise: (appliance) => user(appliance, { priv: ["api-v2-firewall-alias-get"] }),
    sent: {},
  },
  {
    name: "access list",
    expected: "403 ENDPOINT_CLIENT_NOT_ALLOWED_BY_ACL",
    raise: (appliance) =>
      appliance.set({
        accessList: appliance.state.configuration.accessList.map((entry) => ({
          ...entry,
          type: "deny",
        })),
      }),
    sent: {},
  },
  {
    name: "accept",
    expected: "406 CONTENT_HANDLER_ENCODE_NOT_FOUND",
    raise: () => undefined,
    sent: { fields: { accept: "text/html" } },
  },
  {
    name: "read-only",
    expected: "405 ENDPOINT_METHOD_NOT_ALLOWED_IN_READ_ONLY_MODE",
    raise: (appliance) => setting(appliance, "read_only", true),
    sent: {},
  },
  {
    name: "content type",
    expected: "415 CONTENT_HANDLER_DECODE_NOT_FOUND",
    raise: () => undefined,
    sent: { fields: { "content-type": "text/yaml" } },
  },
  {
    name: "object",
    expected: "404 MODEL_OBJECT_NOT_FOUND",
    raise: () => undefined,
    sent: { body: { id: 7, descr: "x" } },
  },
  {
    name: "value",
    expected: "400 FIELD_INVALID_TYPE",
    raise: () => undefined,
    sent: { body: { id: 0, descr: 5 } },
  },
];

/** An alias, and a user who may change aliases and nothing else. */
const prepared = (): TestAppliance => {
  const appliance = new TestAppliance();
  appliance.ok("POST", "/firewall/alias", { body: alias("LAB_A") });
  const body = { ...LAB, priv: ["api-v2-firewall-alias-patch"] };
  appliance.ok("POST", "/user", { body });
  return appliance;
};

const meet = (obstacles: readonly Obstacle[]): string => {
  const appliance = prepared();
  for (const { raise } of obstacles) raise(appliance);
  const fields = Object.assign({}, basic(LAB), ...obstacles.map(({ sent }) => sent.fields ?? {}));
  const body = obstacles.find(({ sent }) => sent.body !== undefined)?.sent.body;
  return appliance.outcome("PATCH", "/firewall/alias", {
    body: body ?? { id: 0, descr: "changed" },
    fields,
  });
};

describe("a request is let in", () => {
  test("where nothing stands in its way", () => {
    assert.equal(meet([]), "200 SUCCESS");
  });

  for (const obstacle of OBSTACLES) {
    test(`not against: ${obstacle.name}`, () => {
      assert.equal(meet([obstacle]), obstacle.expected);
    });
  }

  for (const [index, obstacle] of OBSTACLES.entries()) {
    for (const later of OBSTACLES.slice(index + 1)) {
      test(`${obstacle.name} is told of before ${later.name}`, () => {
        assert.equal(meet([obstacle, later]), obstacle.expected);
      });
    }
  }
});

describe("a method that an endpoint hasn't", () => {
  test("is 405 for who has all privileges, and 403 for who lacks the method's", () => {
    const appliance = prepared();
    assert.equal(appliance.outcome("PUT", "/firewall/alias"), "405 ENDPOINT_METHOD_NOT_ALLOWED");
    assert.equal(
      appliance.outcome("PUT", "/firewall/alias", { fields: basic(LAB) }),
      "403 AUTH_AUTHORIZATION_FAILED",
    );
  });

  test("is told of before read-only mode, and HEAD asks for no privilege", () => {
    const appliance = prepared();
    setting(appliance, "read_only", true);
    assert.equal(appliance.outcome("PUT", "/firewall/alias"), "405 ENDPOINT_METHOD_NOT_ALLOWED");
    assert.equal(
      appliance.outcome("HEAD", "/firewall/alias", { fields: basic(LAB) }),
      "405 ENDPOINT_METHOD_NOT_ALLOWED",
    );
  });

  test("OPTIONS says which there are, and asks nobody who he is", () => {
    const answer = prepared().send("OPTIONS", "/firewall/aliases", { fields: { "x-api-key": "" } });
    assert.equal(answer.fields["allow"], "GET, PUT, DELETE");
  });
});

describe("read-only mode", () => {
  test("is turned on by a client and off by none", () => {
    const appliance = prepared();
    const path = "/system/restapi/settings";
    appliance.ok("PATCH", path, { body: { read_only: true } });
    assert.equal((appliance.ok("GET", path) as { read_only: boolean }).read_only, true);
    assert.equal(
      appliance.outcome("PATCH", path, { body: { read_only: false } }),
      "405 ENDPOINT_METHOD_NOT_ALLOWED_IN_READ_ONLY_MODE",
    );
    assert.equal(appliance.outcome("GET", "/firewall/aliases"), "200 SUCCESS");
  });

  test("hides no missing privilege", () => {
    const appliance = prepared();
    setting(appliance, "read_only", true);
    user(appliance, { priv: [] });
    assert.equal(
      appliance.outcome("PATCH", "/firewall/alias", {
        body: { id: 0, descr: "x" },
        fields: basic(LAB),
      }),
      "403 AUTH_AUTHORIZATION_FAILED",
    );
  });
});
