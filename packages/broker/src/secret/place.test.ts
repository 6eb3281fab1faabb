import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, test } from "node:test";
import { inspect } from "node:util";
import { DEFAULT_SECRET_HEADERS } from "./headers.js";
import { placeSecrets } from "./place.js";
import { createSecret, secretEnvironment } from "./secret.js";

const secret = (name: string, host: string) =>
  createSecret({
    name,
    authority: { host, port: 443 },
    headers: DEFAULT_SECRET_HEADERS,
    value: `value-$&-of-${name}`,
    random: randomBytes,
  });

const HERE = secret("API_KEY", "api.example.com");
const OTHER = secret("OTHER_KEY", "other.example.com");
const basic = (text: string): string => `Basic ${Buffer.from(text).toString("base64")}`;

const place = (name: string, value: string, target = "/x") =>
  placeSecrets(target, [[name, value]], [HERE], [OTHER]);

describe("a placeholder", () => {
  test("is replaced in its fields, once or more", () => {
    assert.deepEqual(place("authorization", `Bearer ${HERE.placeholder}`), {
      kind: "placed",
      fields: [["authorization", "Bearer value-$&-of-API_KEY"]],
      used: ["API_KEY"],
    });
    assert.deepEqual(place("x-api-key", `${HERE.placeholder},${HERE.placeholder}`), {
      kind: "placed",
      fields: [["x-api-key", "value-$&-of-API_KEY,value-$&-of-API_KEY"]],
      used: ["API_KEY"],
    });
  });

  test("is replaced inside of Basic's base64, which is encoded anew", () => {
    assert.deepEqual(place("authorization", basic(`user:${HERE.placeholder}`)), {
      kind: "placed",
      fields: [["authorization", basic("user:value-$&-of-API_KEY")]],
      used: ["API_KEY"],
    });
  });

  test("leaves fields without it alone, byte by byte", () => {
    for (const value of ["Bearer other", basic("user:password"), "basic dXNlcg", "Basic !!!"]) {
      assert.deepEqual(place("authorization", value), {
        kind: "placed",
        fields: [["authorization", value]],
        used: [],
      });
    }
  });

  test("refuses the request in another field, in the target, or in another case", () => {
    const refused = { kind: "refused", secret: "API_KEY" };
    assert.deepEqual(place("x-else", HERE.placeholder), refused);
    assert.deepEqual(place("cookie", `a=${HERE.placeholder}`), refused);
    assert.deepEqual(place("x-else", "", `/x?key=${HERE.placeholder}`), refused);
    assert.deepEqual(place("authorization", HERE.placeholder.toLowerCase()), refused);
  });

  test("of another authority's secret refuses the request everywhere", () => {
    const refused = { kind: "refused", secret: "OTHER_KEY" };
    assert.deepEqual(place("authorization", `Bearer ${OTHER.placeholder}`), refused);
    assert.deepEqual(place("authorization", basic(`u:${OTHER.placeholder}`)), refused);
    assert.deepEqual(place("x-else", OTHER.placeholder), refused);
    assert.deepEqual(place("x-else", "", `/${OTHER.placeholder}`), refused);
  });
});

describe("a secret", () => {
  test("shows its value to nobody who doesn't ask for it", () => {
    for (const text of [inspect(HERE), JSON.stringify(HERE), `${Object.values(HERE)}`]) {
      assert.ok(!text.includes("value-"), text);
    }
    assert.equal(HERE.reveal(), "value-$&-of-API_KEY");
  });

  test("has a placeholder of its own in each run", () => {
    assert.match(HERE.placeholder, /^DRYDOCK_SECRET_API_KEY_[0-9a-f]{32}$/);
    assert.notEqual(HERE.placeholder, secret("API_KEY", "api.example.com").placeholder);
    assert.deepEqual(secretEnvironment([HERE]), { API_KEY: HERE.placeholder });
  });
});
