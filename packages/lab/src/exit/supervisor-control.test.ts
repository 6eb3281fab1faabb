import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { before, describe, type TestContext, test } from "node:test";
import { type ApplianceIdentity, createApplianceIdentity } from "../appliance/index.js";
import { LabCredential } from "../configuration/index.js";
import { supervisorControl } from "./supervisor-control.js";

const NAME = "candidate.lab.invalid";
let identity: ApplianceIdentity;

before(async () => {
  const address = "127.0.0.1";
  const lifetime = { now: new Date(), lifetimeMs: 3_600_000 };
  identity = await createApplianceIdentity({
    name: NAME,
    address,
    ...lifetime,
    random: randomBytes,
  });
});

/** Data of the answer, or a status that isn't 200. */
type Answers = (asked: string) => unknown;

const LAB = { id: 3, name: "lab", priv: ["api-v2-firewall-alias-patch"] };
const KEY = { id: 0, username: "lab" };

/** Something that answers as an appliance could: what it is asked is kept, without its bodies. */
const appliance = async (t: TestContext, answers: Answers) => {
  const asked: string[] = [];
  const server = createServer(
    { cert: identity.certificatePem, key: identity.keyPem },
    (request, response) => {
      const line = `${request.method} ${request.url?.replace("/api/v2", "")}`;
      request.resume();
      asked.push(line);
      const answer = answers(line);
      if (typeof answer === "number") response.statusCode = answer;
      response.end(JSON.stringify({ data: answer }));
    },
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const control = supervisorControl({
    endpoint: {
      ...{ address: "127.0.0.1", port: (server.address() as AddressInfo).port, host: NAME },
      ca: identity.caCertificatePem,
      deadlines: { connectMs: 10_000, answerMs: 10_000 },
    },
    supervisor: { name: "supervisor", password: "p" },
    lab: { name: "lab", key: new LabCredential("k") },
  });
  return { control, asked };
};

/** Keys until so many are deleted. */
const having = (keys: number, change: Readonly<Record<string, unknown>> = {}): Answers => {
  let left = keys;
  return (line) => {
    const [first = ""] = Object.keys(change).filter((start) => line.startsWith(start));
    if (first !== "") return change[first];
    if (line === "GET /users") return [{ id: 0, name: "admin", priv: ["page-all"] }, LAB];
    if (line.startsWith("DELETE")) left -= 1;
    if (line === "GET /auth/keys") return [{ id: 9, username: "admin" }, ...Array(left).fill(KEY)];
    return {};
  };
};

const READ_ONLY = "PATCH /system/restapi/settings";

describe("a revocation", () => {
  test("takes privileges and keys, and then makes everything read-only", async (t) => {
    const { control, asked } = await appliance(t, having(2));
    assert.deepEqual(await control.privileges(), LAB.priv);
    await control.revoke();
    const deletion = ["GET /auth/keys", "DELETE /auth/key?id=0"];
    assert.deepEqual(asked.slice(1), [
      ...["GET /users", "PATCH /user"],
      ...[...deletion, ...deletion, "GET /auth/keys"],
      READ_ONLY,
    ]);
  });

  test("of keys that don't go away ends, and isn't done", async (t) => {
    const { control, asked } = await appliance(t, having(1_000));
    await assert.rejects(control.revoke(), { code: "LAB_REVOCATION" });
    assert.ok(asked.length < 100);
    assert.equal(asked.at(-1), READ_ONLY);
  });

  test("takes nobody else's place in a list for the lab's", async (t) => {
    for (const id of [undefined, null, -1, "0", "", true, [0]]) {
      const { control, asked } = await appliance(
        t,
        having(1, { "GET /auth/keys": [{ ...KEY, id }], "GET /users": [{ ...LAB, id }] }),
      );
      await assert.rejects(control.revoke(), { code: "LAB_REVOCATION" }, String(id));
      assert.deepEqual(asked, ["GET /users", "GET /auth/keys", READ_ONLY], String(id));
    }
  });

  test("goes on with what is left when something of it fails", async (t) => {
    for (const start of ["GET /users", "PATCH /user", "GET /auth/keys", "DELETE"]) {
      const { control, asked } = await appliance(t, having(1, { [start]: 500 }));
      await assert.rejects(control.revoke(), { code: "LAB_REVOCATION" }, start);
      assert.equal(asked.at(-1), READ_ONLY, start);
    }
  });

  test("doesn't take what is no list of names for privileges", async (t) => {
    for (const priv of [undefined, null, "page-all", [1], {}]) {
      const { control } = await appliance(t, having(0, { "GET /users": [{ ...LAB, priv }] }));
      await assert.rejects(control.privileges(), { code: "LAB_REVOCATION" });
    }
  });
});
