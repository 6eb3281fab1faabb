import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomBytes, webcrypto, X509Certificate } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { temporaryDirectory } from "@drydock/testkit";
import { createRunCa } from "./ca.js";
import { issueRoot, issueServer } from "./x509.js";

const NOW = new Date("2026-11-30T12:00:00Z");
const HOUR = 3_600_000;
const validity = {
  notBefore: new Date(Date.now() - HOUR),
  notAfter: new Date(Date.now() + HOUR),
};

const openssl = (...args: readonly string[]) =>
  spawnSync("openssl", [...args], { encoding: "utf8", timeout: 30_000 });

describe("the run's CA", () => {
  test("is for the opted-in names, at this time, and its certificate says so", async () => {
    const ca = await createRunCa({
      issuer: "test",
      hosts: ["api.example.com", "git.example.org", "api.example.com"],
      now: NOW,
      lifetimeMs: 2 * HOUR,
      random: randomBytes,
    });
    const root = new X509Certificate(ca.caCertificatePem);
    assert.equal(root.ca, true);
    assert.equal(new Date(root.validFrom).getTime(), NOW.getTime() - HOUR);
    assert.equal(new Date(root.validTo).getTime(), NOW.getTime() + 3 * HOUR);
    const identity = await ca.identityFor("api.example.com");
    const leaf = new X509Certificate(identity.certificatePem);
    assert.ok(leaf.verify(root.publicKey));
    assert.equal(leaf.ca, false);
    assert.equal(leaf.subjectAltName, "DNS:api.example.com");
    assert.equal(leaf.checkHost("api.example.com"), "api.example.com");
    assert.equal(leaf.checkHost("git.example.org"), undefined);
    await assert.rejects(ca.identityFor("other.example.com"), { code: "CA_NAME" });
  });

  test("issues one identity for a name, however often it is asked", async () => {
    const options = { issuer: "test", now: NOW, lifetimeMs: HOUR, random: randomBytes };
    const ca = await createRunCa({ ...options, hosts: ["api.example.com"] });
    const [one, two] = await Promise.all([
      ca.identityFor("api.example.com"),
      ca.identityFor("api.example.com"),
    ]);
    assert.equal(one, two);
    await assert.rejects(createRunCa({ ...options, hosts: [] }), { code: "CA_NAME" });
  });

  test("keeps its key where nobody can read it", async () => {
    const { keys } = await issueRoot("test", ["api.example.com"], validity, "01");
    assert.equal(keys.privateKey.extractable, false);
    await assert.rejects(webcrypto.subtle.exportKey("pkcs8", keys.privateKey));
  });

  test("marks its constraints as critical", async (t) => {
    const file = join(temporaryDirectory(t), "root.pem");
    const root = await issueRoot("test", ["api.example.com"], validity, "01");
    writeFileSync(file, root.certificatePem);
    const text = openssl("x509", "-in", file, "-noout", "-text").stdout;
    assert.match(text, /X509v3 Name Constraints: critical\s+Permitted:\s+DNS:api\.example\.com\n/);
    assert.match(text, /Excluded:\s+DNS:\.api\.example\.com\s+IP:0\.0\.0\.0\/0\.0\.0\.0\s+IP:0:0/);
    assert.match(text, /X509v3 Basic Constraints: critical\s+CA:TRUE, pathlen:0/);
    assert.match(text, /X509v3 Key Usage: critical\s+Certificate Sign\n/);
  });
});

describe("what is signed with the CA's key for another name is refused by verifiers", () => {
  const permitted = ["api.example.com", "example.org", "www.example.org"];
  const verdict = async (
    t: Parameters<typeof temporaryDirectory>[0],
    host: string,
    {
      root: addresses = [],
      leaf: asked = addresses,
    }: Partial<Record<"root" | "leaf", string[]>> = {},
  ) => {
    const directory = temporaryDirectory(t);
    const root = await issueRoot("test", permitted, validity, "01", addresses);
    const leaf = await issueServer(root, host, validity, "02", asked);
    writeFileSync(join(directory, "root.pem"), root.certificatePem);
    writeFileSync(join(directory, "leaf.pem"), leaf.certificatePem);
    const ran = openssl(
      "verify",
      "-x509_strict",
      "-no-CApath",
      "-CAfile",
      join(directory, "root.pem"),
      "-purpose",
      "sslserver",
      "-verify_hostname",
      host,
      join(directory, "leaf.pem"),
    );
    return `${ran.stdout}${ran.stderr}`;
  };

  for (const host of ["api.example.com", "example.org", "www.example.org"]) {
    test(`${host} verifies`, async (t) => {
      assert.match(await verdict(t, host), /: OK\n$/);
    });
  }
  for (const host of ["other.example.com", "example.com", "xapi.example.com", "com"]) {
    test(`${host} isn't permitted`, async (t) => {
      assert.match(await verdict(t, host), /permitted subtree violation/);
    });
  }
  for (const host of ["v2.api.example.com", "a.www.example.org"]) {
    test(`${host}, beneath a permitted name, is excluded`, async (t) => {
      assert.match(await verdict(t, host), /excluded subtree violation/);
    });
  }

  const appliance = ["192.0.2.10"];
  test("an address that is permitted verifies", async (t) => {
    assert.match(await verdict(t, "example.org", { root: appliance }), /: OK\n$/);
  });
  for (const leaf of [["192.0.2.11"], [...appliance, "192.0.2.11"], ["2001:db8::1"]]) {
    test(`${leaf.join(" and ")} isn't where only ${appliance} is permitted`, async (t) => {
      const said = await verdict(t, "example.org", { root: appliance, leaf });
      assert.match(said, /(permitted|excluded) subtree violation/);
    });
  }
  test("no address is permitted unless it is given", async (t) => {
    assert.match(
      await verdict(t, "example.org", { leaf: appliance }),
      /excluded subtree violation/,
    );
  });
});
