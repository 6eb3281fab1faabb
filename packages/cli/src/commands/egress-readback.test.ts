import assert from "node:assert/strict";
import { readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import {
  ARTIFACT_KINDS,
  type ReadbackReceipt,
  releaseManifestBytes,
  signReadbackReceipt,
  signRelease,
} from "@drydock/boundary";
import { canonicalBytes, digestOf, signIn, signingKeyFromSeed } from "@drydock/evidence";
import { ask, readyLine } from "../testing/egress-serve.js";
import { testHome } from "../testing/home.js";
import { READBACK_REREAD_MS } from "./readback-gate.js";

const OWNER = signingKeyFromSeed(Buffer.alloc(32, 1));
const READER = signingKeyFromSeed(Buffer.alloc(32, 2));
const STRANGER = signingKeyFromSeed(Buffer.alloc(32, 3));

/** Long enough that no machine is too slow for it; staleness is tested by the receipt's own time. */
const FRESHNESS_SECONDS = 3_600;

const POLICY = canonicalBytes({
  schema_version: "aptl.appliance-boundary/v1",
  policy_id: "seat",
  generation: 1,
  default_deny: true,
  egress_authorities: [
    {
      source: "egress",
      authority: "api.example.com",
      protocol: "tcp",
      port: 443,
      purpose: "test",
      resolution: "proxy-resolved-all-global",
      failure_disposition: "deny",
    },
  ],
  egress_proxy_limits: {
    max_connections: 8,
    max_header_bytes: 4_096,
    header_timeout_seconds: 5,
    connect_timeout_seconds: 10,
    idle_timeout_seconds: 60,
  },
  // Nobody answers there.
  egress_resolvers: ["127.0.0.1"],
  observation_freshness_seconds: FRESHNESS_SECONDS,
});

const receiptOf = (change: Partial<ReadbackReceipt> = {}): ReadbackReceipt => ({
  policyDigest: digestOf(POLICY),
  rulesets: [{ authority: "platform", digest: digestOf(Buffer.from("rules")) }],
  bootId: readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim(),
  daemonId: "ENGINE",
  observedAt: new Date(Date.now() - 60_000).toISOString(),
  ok: true,
  ...change,
});

const pemOf = ({ public: { object } }: typeof READER) =>
  object.export({ format: "pem", type: "spki" }).toString();

const prepare = (t: TestContext) => {
  const home = testHome(t);
  const path = (name: string): string => join(home.temporary, name);
  const value = signIn("policy", POLICY, OWNER).toString("base64");
  const signature = {
    namespace: "policy",
    keyId: OWNER.public.keyId,
    digest: digestOf(POLICY),
    value,
  };
  writeFileSync(path("policy.json"), POLICY);
  writeFileSync(path("policy.json.sig"), JSON.stringify(signature));
  writeFileSync(path("owner.pem"), pemOf(OWNER));
  writeFileSync(path("reader.pem"), pemOf(READER));
  const serve = ["egress", "serve", "--listen", "127.0.0.1:0", "--policy", path("policy.json")];
  const signed = [...serve, "--key", path("owner.pem")];
  const guarded = ["--require-readback", path("receipt"), "--readback-key", path("reader.pem")];
  return { home, path, serve, signed, guarded };
};

test("nothing goes out but with a fresh receipt of the trusted key for this policy", async (t) => {
  const { home, path, signed, guarded } = prepare(t);
  const started = home.start([...signed, ...guarded, "--json"]);
  const { port } = await readyLine(started);
  const put = (bytes: Uint8Array): void => {
    writeFileSync(path("new"), bytes);
    renameSync(path("new"), path("receipt"));
  };
  /** What is said once the file has been read anew. */
  const said = async (): Promise<string> => {
    await pause(READBACK_REREAD_MS);
    return await ask(port, "api.example.com:443");
  };
  /** Past the receipt: the policy grants it, and its resolver can't be asked. */
  const passes = async (): Promise<void> => {
    put(signReadbackReceipt(receiptOf(), READER));
    assert.match(await said(), /^DNS_/);
  };
  assert.equal(await said(), "READBACK_MISSING");
  const cases: readonly (readonly [string, () => void])[] = [
    ["READBACK_MISSING", () => rmSync(path("receipt"))],
    ["READBACK_MISSING", () => put(Buffer.alloc(64 * 1024, 0x20))],
    ["READBACK_UNSIGNED", () => put(Buffer.from("{}"))],
    ["READBACK_UNSIGNED", () => put(signReadbackReceipt(receiptOf(), STRANGER))],
    [
      "READBACK_DIFFERENT",
      () => put(signReadbackReceipt(receiptOf({ policyDigest: digestOf(Buffer.of()) }), READER)),
    ],
    ["READBACK_FAILED", () => put(signReadbackReceipt(receiptOf({ ok: false }), READER))],
    ["READBACK_STALE", () => put(signReadbackReceipt(receiptOf({ observedAt: LONG_AGO }), READER))],
    [
      "READBACK_STALE",
      () => put(signReadbackReceipt(receiptOf({ observedAt: "2100-01-01T00:00:00.000Z" }), READER)),
    ],
    [
      "READBACK_STALE",
      () => put(signReadbackReceipt(receiptOf({ bootId: "0".repeat(36) }), READER)),
    ],
    [
      "READBACK_MISSING",
      () => {
        rmSync(path("receipt"));
        symlinkSync(path("nowhere"), path("receipt"));
      },
    ],
  ];
  for (const [reason, spoil] of cases) {
    await passes();
    spoil();
    assert.equal(await said(), reason);
  }
  await passes();
  started.child.kill("SIGTERM");
  assert.equal((await started.ended).code, 0);
});

const LONG_AGO = new Date(Date.now() - (FRESHNESS_SECONDS + 60) * 1_000).toISOString();

test("without its key, or without an appliance's policy, there is no receipt to ask for", async (t) => {
  const { home, path, serve, signed, guarded } = prepare(t);
  const refused = async (args: readonly string[], said: RegExp): Promise<void> => {
    const { code, stderr } = await home.run([...args]);
    assert.deepEqual([code, said.test(stderr)], [2, true], stderr);
  };
  await refused([...signed, ...guarded.slice(0, 2)], /--readback-key/);
  await refused([...signed, ...guarded.slice(2)], /--require-readback/);
  writeFileSync(
    path("policy.json"),
    JSON.stringify({
      schema: "drydock.egress/v1",
      authorities: [{ name: "api.example.com", port: 443, protocol: "tls", purpose: "test" }],
      resolvers: [{ address: "127.0.0.1" }],
    }),
  );
  await refused([...serve, ...guarded], /an appliance's policy/);
});

test("a release vouches for the policy that it names, and no key of a policy does then", async (t) => {
  const { home, path, serve } = prepare(t);
  const release = (policy: Uint8Array) =>
    releaseManifestBytes({
      releaseId: "seat-1.0.0",
      artifacts: ARTIFACT_KINDS.map((kind) => ({
        id: kind,
        kind,
        path: `${kind}.json`,
        digest: digestOf(kind === "boundary-policy" ? policy : Buffer.from(kind)),
        bytes: 1,
      })),
      profile: { id: "profile", version: 1 },
      helperImage: `helper@sha256:${"a".repeat(64)}`,
      proxyImage: `proxy@sha256:${"b".repeat(64)}`,
    });
  const put = (policy: Uint8Array): void => {
    const manifest = release(policy);
    writeFileSync(path("release.json"), manifest);
    writeFileSync(path("release.sig.json"), signRelease(manifest, OWNER));
  };
  const vouched = ["--signature", path("release.sig.json"), "--key", path("owner.pem")];
  const released = [...serve, "--release", path("release.json"), ...vouched];
  put(POLICY);
  const started = home.start([...released, "--json"]);
  const { ready, signer } = await readyLine(started);
  assert.deepEqual([ready, signer], [true, null]);
  started.child.kill("SIGTERM");
  assert.equal((await started.ended).code, 0);

  const refused = async (args: readonly string[], said: RegExp): Promise<void> => {
    const { stderr, stdout } = await home.run([...args]);
    assert.deepEqual([stdout, said.test(stderr)], ["", true], stderr);
  };
  await refused(released.slice(0, -2), /--signature and --key/);
  await refused([...released.slice(0, -1), path("reader.pem")], /RELEASE_KEY/);
  put(Buffer.concat([POLICY, Buffer.from("\n")]));
  await refused(released, /RELEASE_POLICY_DIFFERENT/);
});
