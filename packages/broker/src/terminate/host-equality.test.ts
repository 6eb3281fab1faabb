import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Destination, isRequestFor } from "./host-equality.js";

const HTTPS = { host: "api.example.com", port: 443 };

const isFor = (change: Partial<Destination>, authority = HTTPS): boolean =>
  isRequestFor(authority, {
    serverName: "api.example.com",
    pseudo: null,
    fields: [["host", "api.example.com"]],
    ...change,
  });

describe("a request is for the authority of its connection", () => {
  test("when Host says so, with the default port or without, in any case", () => {
    assert.ok(isFor({}));
    assert.ok(isFor({ fields: [["host", "api.example.com:443"]] }));
    assert.ok(isFor({ fields: [["host", "API.Example.com"]] }));
  });

  test("when :authority says so, and Host nothing else", () => {
    assert.ok(isFor({ pseudo: "api.example.com", fields: [] }));
    assert.ok(isFor({ pseudo: "api.example.com:443" }));
  });

  test("when another port is written out", () => {
    const authority = { host: "api.example.com", port: 8443 };
    assert.ok(isFor({ fields: [["host", "api.example.com:8443"]] }, authority));
    assert.ok(!isFor({}, authority));
    assert.ok(!isFor({ fields: [["host", "api.example.com:443"]] }, authority));
  });

  for (const host of [
    "",
    "other.example.com",
    "api.example.com.",
    "api.example.com:80",
    "api.example.com:0443",
    "api.example.com:443:443",
    "api.example.com,other.example.com",
    "user@api.example.com",
    " api.example.com",
    "api.example.com/x",
    "api.example.com\0",
    "xapi.example.com",
    "10.0.0.1",
  ]) {
    test(`not when either says ${JSON.stringify(host)}`, () => {
      assert.ok(!isFor({ fields: [["host", host]] }));
      assert.ok(!isFor({ pseudo: host, fields: [] }));
      assert.ok(!isFor({ pseudo: "api.example.com", fields: [["host", host]] }));
    });
  }

  test("not without Host, nor with two", () => {
    assert.ok(!isFor({ fields: [] }));
    const twice = ["host", "api.example.com"] as const;
    assert.ok(!isFor({ fields: [twice, twice] }));
    assert.ok(!isFor({ pseudo: "api.example.com", fields: [twice, twice] }));
  });

  test("not when the handshake was for another name, or for none", () => {
    assert.ok(!isFor({ serverName: "other.example.com" }));
    assert.ok(!isFor({ serverName: null }));
  });
});
