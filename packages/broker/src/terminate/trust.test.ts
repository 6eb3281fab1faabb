import assert from "node:assert/strict";
import { test } from "node:test";
import { trustEnvironment } from "./index.js";

test("every usual variable names the bundle", () => {
  assert.deepEqual(trustEnvironment("/run/drydock/ca.pem"), {
    CURL_CA_BUNDLE: "/run/drydock/ca.pem",
    GIT_SSL_CAINFO: "/run/drydock/ca.pem",
    NODE_EXTRA_CA_CERTS: "/run/drydock/ca.pem",
    REQUESTS_CA_BUNDLE: "/run/drydock/ca.pem",
    SSL_CERT_FILE: "/run/drydock/ca.pem",
    npm_config_cafile: "/run/drydock/ca.pem",
  });
});
