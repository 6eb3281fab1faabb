import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  checkSecretsGranted,
  parseSecretFlag,
  parseSecretFlags,
  readSecretValue,
} from "./index.js";

describe("--secret", () => {
  test("names a variable, a file and one authority", () => {
    assert.deepEqual(parseSecretFlag("API_KEY=./key.txt@api.example.com:443"), {
      name: "API_KEY",
      file: "./key.txt",
      authority: { host: "api.example.com", port: 443 },
    });
  });

  test("takes paths that hold = and @", () => {
    assert.equal(parseSecretFlag("K=/a=b/c@d@api.example.com:443").file, "/a=b/c@d");
  });

  for (const [text, code] of [
    ["", "SECRET_FLAG"],
    ["API_KEY", "SECRET_FLAG"],
    ["API_KEY=file", "SECRET_FLAG"],
    ["API_KEY=@api.example.com:443", "SECRET_FLAG"],
    ["=file@api.example.com:443", "SECRET_FLAG"],
    ["api_key=file@api.example.com:443", "SECRET_NAME"],
    ["1KEY=file@api.example.com:443", "SECRET_NAME"],
    ["PATH=file@api.example.com:443", "SECRET_NAME"],
    ["LD_PRELOAD=file@api.example.com:443", "SECRET_NAME"],
    ["HTTPS_PROXY=file@api.example.com:443", "SECRET_NAME"],
    ["API_KEY=file@api.example.com", "SECRET_AUTHORITY"],
    ["API_KEY=file@*.example.com:443", "SECRET_AUTHORITY"],
    ["API_KEY=file@10.0.0.1:443", "SECRET_AUTHORITY"],
  ] as const) {
    test(`refuses ${JSON.stringify(text)}`, () => {
      assert.throws(() => parseSecretFlag(text), { code });
    });
  }

  test("gives each variable one secret", () => {
    const flags = ["A_KEY=a@api.example.com:443", "B_KEY=a@api.example.com:443"];
    assert.equal(parseSecretFlags(flags).length, 2);
    assert.throws(() => parseSecretFlags([...flags, "A_KEY=b@b.example.com:443"]), {
      code: "SECRET_NAME",
    });
  });
});

test("a secret grants nothing: its authority is granted as tls already", () => {
  const flags = [parseSecretFlag("API_KEY=a@api.example.com:443")];
  const grant = (port: number, protocol: "tls" | "tcp-opaque") => ({
    authority: { host: "api.example.com", port },
    protocol,
    purpose: "",
    allowEch: false,
    requests: null,
    terminate: false,
    line: null,
  });
  assert.doesNotThrow(() => checkSecretsGranted(flags, [grant(443, "tls")]));
  for (const grants of [[], [grant(444, "tls")], [grant(443, "tcp-opaque")]]) {
    assert.throws(() => checkSecretsGranted(flags, grants), { code: "SECRET_NOT_GRANTED" });
  }
});

describe("a secret's file", () => {
  const read = (text: string) => readSecretValue("API_KEY", Buffer.from(text, "latin1"));
  test("holds the value, and at most one line break", () => {
    assert.equal(read("sk-0123456789"), "sk-0123456789");
    assert.equal(read("sk-0123456789\n"), "sk-0123456789");
    assert.equal(read("sk-0123456789\r\n"), "sk-0123456789");
  });

  for (const text of [
    "",
    "short",
    "sk-0123456789\n\n",
    "sk 0123456789",
    "sk-\r\nX: 456789",
    "é".repeat(20),
    "x".repeat(1_025),
  ]) {
    test(`isn't ${JSON.stringify(text.slice(0, 20))}, and the error doesn't repeat it`, () => {
      assert.throws(
        () => read(text),
        (error: Error & { code?: string }) => {
          assert.equal(error.code, "SECRET_VALUE");
          assert.ok(text.length === 0 || !error.message.includes(text));
          return true;
        },
      );
    });
  }
});
