import assert from "node:assert/strict";
import { test } from "node:test";
import { trustBundle, trustEnvironment } from "./index.js";

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

test("the bundle holds the run's CA and then the image's own roots, line by line", () => {
  assert.equal(trustBundle("CA\n", "ROOTS"), "CA\nROOTS\n");
  assert.equal(trustBundle("CA", "ROOTS\n"), "CA\nROOTS\n");
  assert.equal(trustBundle("CA", null), "CA\n");
});
