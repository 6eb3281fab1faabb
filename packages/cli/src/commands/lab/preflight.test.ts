import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, type TestContext, test } from "node:test";
import { type Ended, testHome } from "../../testing/home.js";
import { inTree } from "../../testing/repository.js";

const CANDIDATE = "LAB_EXAMPLE";
const PROGRAM = inTree("packages/cli/dist/main.js");

interface Ready {
  readonly url: string;
  readonly namespace: string;
  readonly ca: string;
  readonly labKey: string;
}

const stamp = (time: number): string => new Date(time).toISOString().replace(/\.\d+Z$/, "Z");

const attestation = (change: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({
    schema_version: 1,
    lab_identity: "lab-test",
    candidate: CANDIDATE,
    issued_at: stamp(Date.now()),
    expires_at: stamp(Date.now() + 590_000),
    target_is_disposable_lab: true,
    candidate_is_synthetic_test_only: true,
    verified_no_operational_references: true,
    operator_checked_surfaces: [
      ...[
        "routing",
        "vpn",
        "services",
        "firewall_policy",
        "nat",
        "other_operational_configuration",
      ],
    ],
    ...change,
  });

/** A stand-in, and `drydock lab` beside it in its namespace. */
const lab = async (t: TestContext) => {
  const home = testHome(t);
  const { child } = home.start([
    ...["lab", "appliance", "--json", "--control", "--candidate", CANDIDATE],
  ]);
  const stdout = child.stdout;
  assert.ok(stdout !== null);
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<unknown> => JSON.parse((await lines.next()).value as string);
  const ready = (await next()) as Ready;
  const word = join(home.temporary, "attestation.json");
  writeFileSync(word, attestation(), { mode: 0o600 });
  const inputs = {
    PFSENSE_LAB_API_URL: ready.url,
    PFSENSE_LAB_IDENTITY: "lab-test",
    PFSENSE_LAB_API_KEY_FILE: ready.labKey,
    PFSENSE_LAB_CANDIDATE: CANDIDATE,
    PFSENSE_LAB_ATTESTATION_FILE: word,
  };
  let id = 0;
  return {
    word,
    atConsole: async (method: string, path: string, data: unknown) => {
      id += 1;
      const command = { id, do: "console", method, path: `/api/v2${path}`, data };
      child.stdin?.write(`${JSON.stringify(command)}\n`);
      return next();
    },
    run: async (
      args: readonly string[],
      environment: Readonly<Record<string, string>> = {},
    ): Promise<Ended> => {
      const enter = [`--net=${ready.namespace}`, process.execPath, PROGRAM, "lab", ...args];
      const ran = spawn("nsenter", enter, {
        env: { ...process.env, ...home.env, ...inputs, ...environment },
        stdio: ["ignore", "pipe", "pipe"],
        timeout: 60_000,
      });
      const [out, error, [code]] = await Promise.all([
        ran.stdout.toArray(),
        ran.stderr.toArray(),
        once(ran, "close") as Promise<[number | null]>,
      ]);
      return {
        code,
        stdout: Buffer.concat(out).toString(),
        stderr: Buffer.concat(error).toString(),
      } as Ended;
    },
    ca: ready.ca,
  };
};

describe("drydock lab preflight", () => {
  test("passes on a stand-in, and fails for one thing that is different", async (t) => {
    const { run, ca, word, atConsole } = await lab(t);
    const preflight = (environment?: Readonly<Record<string, string>>) =>
      run(["preflight", "--ca", ca], environment);

    const passed = await preflight();
    assert.equal(passed.code, 0, passed.stderr);
    const report = JSON.parse(passed.stdout);
    assert.equal(report.event, "lab-t1-preflight");
    assert.equal(report.combined_disposable_lab_safety_gate, "PASS");
    assert.equal(report.global_dependency_proof, false);
    assert.doesNotMatch(passed.stdout, /synthetic|192\.0\.2\.77/);

    const dry = await run(["dry-run", "--ca", ca, "--test-case-id", "adr026-review"]);
    assert.equal(dry.code, 0, dry.stderr);
    assert.equal(JSON.parse(dry.stdout).operation.sent, false);

    const failed = async (ended: Ended, failure: string, stage?: string): Promise<void> => {
      assert.equal(ended.code, 2, ended.stdout);
      assert.equal(ended.stdout, "");
      const told = JSON.parse(ended.stderr);
      assert.equal(told.failure, failure);
      assert.equal(told.combined_disposable_lab_safety_gate, "FAIL");
      if (stage !== undefined) assert.equal(told[stage], "FAIL");
    };
    // Without the authority, TLS verifies nothing and nothing is read.
    await failed(await run(["preflight"]), "LAB_CANDIDATE", "candidate_resolution");
    await failed(
      await preflight({ PFSENSE_LAB_API_URL: "https://firewall.example.com" }),
      "LAB_TARGET",
      "lab_provenance",
    );
    await failed(
      await preflight({ PFSENSE_LAB_API_KEY_FILE: ca.replace("ca.pem", "none") }),
      "LAB_FILE",
      "credential_availability",
    );
    await failed(
      await preflight({ PFSENSE_LAB_CANDIDATE: "LAB_OTHER" }),
      "LAB_ATTESTATION_ELSEWHERE",
      "operator_attestation",
    );
    writeFileSync(word, attestation({ issued_at: stamp(Date.now() + 45_000) }));
    await failed(await preflight(), "LAB_ATTESTATION_TIME", "operator_attestation");
    writeFileSync(word, attestation());
    assert.equal((await preflight()).code, 0);

    const nested = { name: "nests", type: "host", address: [CANDIDATE], detail: ["x"] };
    await atConsole("POST", "/firewall/alias", nested);
    await failed(await preflight(), "LAB_REFERENCED");
  });

  test("says of its inputs whether they are set, and no value", async (t) => {
    const home = testHome(t);
    const told = await home.run(["lab", "evidence-env", "--json"], {
      env: { PFSENSE_LAB_API_URL: "https://secret.example.com", PFSENSE_LAB_CANDIDATE: CANDIDATE },
    });
    assert.equal(told.code, 0);
    assert.deepEqual(JSON.parse(told.stdout).inputs.PFSENSE_LAB_API_URL, {
      set: true,
      valid: false,
    });
    assert.doesNotMatch(told.stdout, /secret|LAB_EXAMPLE/);
  });
});
