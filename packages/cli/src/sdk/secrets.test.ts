import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { policyFromAllow } from "@drydock/broker";
import { digestOf } from "@drydock/evidence";
import { temporaryDirectory } from "@drydock/testkit";
import { sealSecrets } from "./secrets.js";

const VALUE = "sk-live-0123456789abcdef";
const TARGET = "api.example:443";

const loadedWith = (allow: readonly string[]) => ({
  policy: policyFromAllow(allow, [{ address: "192.0.2.1", port: 53 }]),
  signature: null,
  admitsSecrets: true,
  appliance: null,
});
const LOADED = loadedWith([TARGET]);

const secretFile = (t: TestContext, contents = VALUE): string => {
  const file = join(temporaryDirectory(t), "key");
  writeFileSync(file, `${contents}\n`, { mode: 0o600 });
  return file;
};

test("what is sealed of a secret has nothing that depends on its value; the broker gets that alone", (t) => {
  const [one, other] = [VALUE, "another-value-0123456789"].map((value) =>
    sealSecrets(LOADED, [`API_KEY=${secretFile(t, value)}@${TARGET}`], null),
  );
  assert.deepEqual(one?.sealed, other?.sealed);
  assert.deepEqual(
    one?.sealed.secrets.map(({ name, authority }) => [name, authority]),
    [["API_KEY", TARGET]],
  );
  assert.deepEqual(one?.supplies.secrets, [{ name: "API_KEY", value: VALUE }]);
  assert.equal(one?.trust["SSL_CERT_FILE"], "/etc/drydock/trust.pem");
});

test("without secrets nothing is trusted, handed over or sealed", () => {
  assert.deepEqual(sealSecrets(LOADED, [], null), {
    sealed: { secrets: [], upstreamRoots: null },
    supplies: { secrets: [], upstreamRoots: null },
    trust: {},
  });
});

test("a secret needs its authority granted as tls, by a policy that has a place for it", (t) => {
  const secret = `API_KEY=${secretFile(t)}@${TARGET}`;
  sealSecrets(LOADED, [secret], null);
  for (const loaded of [
    null,
    loadedWith(["other.example:443"]),
    loadedWith([`${TARGET}=tcp-opaque`]),
    { ...LOADED, admitsSecrets: false },
  ])
    assert.throws(() => sealSecrets(loaded, [secret], null), { code: "SECRET_NOT_GRANTED" });
});

test("roots are certificates, for upstreams whose TLS ends at the broker", (t) => {
  const directory = temporaryDirectory(t);
  const secret = `API_KEY=${secretFile(t)}@${TARGET}`;
  const roots = join(directory, "roots.pem");
  execFileSync(
    "openssl",
    [
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
      ...["-keyout", join(directory, "key.pem"), "-out", roots, "-subj", "/CN=root"],
    ],
    { stdio: "ignore" },
  );
  const { sealed, supplies } = sealSecrets(LOADED, [secret], roots);
  assert.equal(sealed.upstreamRoots, digestOf(Buffer.from(supplies.upstreamRoots ?? "")));
  assert.throws(() => sealSecrets(LOADED, [], roots), { code: "USAGE" });
  const broken = join(directory, "broken.pem");
  for (const text of [
    "",
    VALUE,
    "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
    " ".repeat(256 * 1024 + 1),
  ]) {
    writeFileSync(broken, text);
    assert.throws(() => sealSecrets(LOADED, [secret], broken), { code: "ROOTS_FILE" });
  }
  for (const file of [directory, join(directory, "none")])
    assert.throws(() => sealSecrets(LOADED, [secret], file), { code: "ROOTS_FILE" });
});
