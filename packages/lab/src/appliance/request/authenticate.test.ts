import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JsonObject } from "@drydock/evidence";
import { ADMIN, ADMIN_KEY, basic, NOW, TestAppliance } from "../testing/appliance.js";

const FAILED = "401 AUTH_AUTHENTICATION_FAILED";
const OK = "200 SUCCESS";
const NO_KEY = { "x-api-key": "" };

const read = (appliance: TestAppliance, fields: Record<string, string>): string =>
  appliance.outcome("GET", "/firewall/aliases", { fields: { ...fields } });

/** The administrator's key isn't sent. */
const withoutKey = (appliance: TestAppliance, fields: Record<string, string>): string => {
  const { settings } = appliance.state.configuration;
  appliance.set({ settings: { ...settings, auth_methods: ["BasicAuth", "JWTAuth"] } });
  return read(appliance, fields);
};

describe("a client proves who it is", () => {
  test("by a key", () => {
    assert.equal(read(new TestAppliance(), {}), OK);
    assert.equal(read(new TestAppliance(), { "x-api-key": "bb".repeat(24) }), FAILED);
    assert.equal(read(new TestAppliance(), NO_KEY), FAILED);
  });

  test("by a password, and is asked for one when it is wrong", () => {
    const appliance = new TestAppliance();
    assert.equal(withoutKey(appliance, basic(ADMIN)), OK);
    for (const wrong of [
      { ...ADMIN, password: "x" },
      { ...ADMIN, name: "nobody" },
    ]) {
      const answer = appliance.send("GET", "/firewall/aliases", { fields: basic(wrong) });
      assert.equal(answer.status, 401);
      assert.match(answer.fields["www-authenticate"] ?? "", /^Basic realm=/);
    }
    assert.equal(read(appliance, { authorization: "Basic" }), FAILED);
    assert.equal(read(appliance, { authorization: "Basic %%%" }), FAILED);
  });

  test("by a token, for as long as it is valid, where tokens are allowed", () => {
    const appliance = new TestAppliance();
    const { token } = appliance.ok("POST", "/auth/jwt", { fields: basic(ADMIN) }) as {
      token: string;
    };
    const bearer = { authorization: `Bearer ${token}` };
    assert.equal(read(appliance, { ...bearer, ...NO_KEY }), FAILED, "not allowed by the settings");
    assert.equal(withoutKey(appliance, bearer), OK);
    const [header = "", claims = "", signature = ""] = token.split(".");
    const forged = Buffer.from('{"exp":99999999999,"nbf":0,"data":"admin"}').toString("base64url");
    const unsigned = Buffer.from('{"typ":"JWT","alg":"none"}').toString("base64url");
    for (const wrong of [
      `${header}.${forged}.${signature}`,
      `${unsigned}.${claims}.`,
      `${token}x`,
      header,
    ]) {
      assert.equal(read(appliance, { authorization: `Bearer ${wrong}` }), FAILED);
    }
    appliance.seconds = NOW + 3599;
    assert.equal(read(appliance, bearer), OK);
    appliance.seconds = NOW + 3600;
    assert.equal(read(appliance, bearer), FAILED);
  });

  test("by the first method that it uses, and no other after it fails", () => {
    const wrong = basic({ ...ADMIN, password: "wrong" });
    assert.equal(read(new TestAppliance(), { ...wrong, "x-api-key": ADMIN_KEY }), FAILED);
  });

  test("not once the user is disabled or gone", () => {
    for (const change of [
      (appliance: TestAppliance) =>
        appliance.set({
          users: appliance.state.configuration.users.map((one) => ({ ...one, disabled: true })),
        }),
      (appliance: TestAppliance) => appliance.set({ users: [] }),
    ]) {
      const appliance = new TestAppliance();
      change(appliance);
      assert.equal(read(appliance, {}), FAILED);
      assert.equal(withoutKey(appliance, basic(ADMIN)), FAILED);
    }
  });
});

describe("keys", () => {
  const create = (appliance: TestAppliance, fields: Record<string, string>) =>
    appliance.send("POST", "/auth/key", { body: { descr: "lab" }, fields });

  test("are made and taken away by password only", () => {
    const appliance = new TestAppliance();
    assert.equal(create(appliance, {}).id, "AUTH_AUTHENTICATION_FAILED");
    const made = create(appliance, basic(ADMIN));
    const { key, id } = made.data as { key: string; id: number };
    assert.match(key, /^[0-9a-f]{48}$/);
    assert.equal(read(appliance, { "x-api-key": key }), OK);
    const query = `id=${id}`;
    assert.equal(appliance.outcome("DELETE", "/auth/key", { query }), FAILED);
    assert.equal(read(appliance, { "x-api-key": key }), OK);
    appliance.ok("DELETE", "/auth/key", { query, fields: basic(ADMIN) });
    assert.equal(read(appliance, { "x-api-key": key }), FAILED);
    assert.equal(read(appliance, {}), OK);
  });

  test("are shown once, and neither they nor their hashes again", () => {
    const appliance = new TestAppliance();
    const { key } = create(appliance, basic(ADMIN)).data as { key: string };
    const kept = JSON.stringify(appliance.state.configuration);
    assert.ok(!kept.includes(key));
    for (const entry of appliance.list("/auth/keys")) {
      assert.deepEqual(Object.keys(entry), [
        "id",
        "descr",
        "username",
        "hash_algo",
        "length_bytes",
      ]);
    }
  });

  test("have their user's privileges", () => {
    const appliance = new TestAppliance();
    const lab = { name: "lab", password: "lab-password" };
    appliance.ok("POST", "/user", { body: { ...lab, priv: ["api-v2-auth-key-post"] } });
    const { key } = create(appliance, basic(lab)).data as { key: string };
    assert.equal(read(appliance, { "x-api-key": key }), "403 AUTH_AUTHORIZATION_FAILED");
    const users = appliance.list("/users") as readonly JsonObject[];
    const id = users.findIndex(({ name }) => name === "lab");
    appliance.ok("PATCH", "/user", { body: { id, priv: ["api-v2-firewall-aliases-get"] } });
    assert.equal(read(appliance, { "x-api-key": key }), OK);
  });
});

describe("a user's date", () => {
  const DAY = 86_400;
  const until = (keysExpireWithUser: boolean): TestAppliance => {
    const appliance = new TestAppliance({ keysExpireWithUser });
    const [admin = {}] = appliance.state.configuration.users;
    appliance.set({ users: [{ ...admin, expires: "11/30/2026" }] });
    return appliance;
  };

  test("ends passwords when its day has ended, and no key", () => {
    const appliance = until(false);
    const midnight = NOW - (NOW % DAY) + DAY;
    appliance.seconds = midnight;
    assert.equal(read(appliance, {}), OK);
    assert.equal(withoutKey(appliance, basic(ADMIN)), OK);
    appliance.seconds = midnight + 1;
    assert.equal(read(appliance, basic(ADMIN)), FAILED);
    const again = until(false);
    again.seconds = midnight + 365 * DAY;
    assert.equal(read(again, {}), OK);
  });

  test("ends keys as well where the appliance is said to do so", () => {
    const appliance = until(true);
    assert.equal(read(appliance, {}), OK);
    appliance.seconds = NOW + 2 * DAY;
    assert.equal(read(appliance, {}), FAILED);
  });

  test("has to be one", () => {
    const appliance = new TestAppliance();
    const body = { name: "x", password: "y", expires: "2026-11-30" };
    assert.equal(
      appliance.outcome("POST", "/user", { body }),
      "400 DATETIME_FIELD_MUST_MATCH_FORMAT",
    );
    appliance.ok("POST", "/user", { body: { ...body, expires: "12/31/2026" } });
  });
});
