import assert from "node:assert/strict";
import { test } from "node:test";
import { bindHello } from "./bind-hello.js";
import type { ClientHello } from "./hello.js";

const AUTHORITY = { host: "api.example.com", port: 443 };

const bound = (hello: Partial<ClientHello>, allowEch = false): string => {
  const whole = { serverName: AUTHORITY.host, ech: false, earlyData: false, alpn: null, ...hello };
  const binding = bindHello(whole, AUTHORITY, { allowEch });
  return binding.kind === "bound" ? "bound" : binding.reason;
};

test("a hello is bound when its name is the granted one in some case of letters", () => {
  assert.equal(bound({}), "bound");
  assert.equal(bound({ serverName: "API.Example.com" }), "bound");
  assert.equal(bound({ earlyData: true }), "bound");
});

test("every other name is another server's, and no name is nobody's", () => {
  assert.equal(bound({ serverName: null }), "SNI_ABSENT");
  const others = [
    "other.example.com",
    "api.example.com.",
    "api.example.com..",
    "api.example.com:443",
    "xapi.example.com",
    "example.com",
    "api.example.com.evil.net",
    "api.example.com@evil.net",
    "*.example.com",
    "api%2eexample.com",
    "https://api.example.com",
    "93.184.216.34",
    "[2606:2800:220:1::1]",
    "api\u3002example.com",
    "",
  ];
  for (const serverName of others) assert.equal(bound({ serverName }), "SNI_DIFFERENT", serverName);
});

test("an encrypted hello is refused unless the policy makes an exception, and then still bound", () => {
  assert.equal(bound({ ech: true }), "ECH");
  assert.equal(bound({ ech: true }, true), "bound");
  assert.equal(bound({ ech: true, serverName: "other.example.com" }, true), "SNI_DIFFERENT");
  assert.equal(bound({ ech: true, serverName: null }, true), "SNI_ABSENT");
});
