import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import {
  bindPlatform,
  bindScenario,
  createKernelBackend,
  observeTopology,
  openNamespace,
  type PlanAddress,
  parseAppliancePolicy,
  parsePlan,
  permitChanges,
  predictTruthTable,
  runEgressProbes,
  runProbes,
} from "@drydock/boundary";
import { digestOf, readNamedFile, signingKeyFromSeed } from "@drydock/evidence";
import {
  type ApplianceLab,
  AUTHORITY,
  AUTHORITY_ADDRESS,
  BROKER,
  NAMES,
  OWNER,
  RESOLVER,
  startApplianceLab,
} from "../../testing/outside/appliance-lab.js";

const PROBER = fileURLToPath(new URL("probe/prober.js", import.meta.resolve("@drydock/boundary")));
const TRAFFIC = fileURLToPath(new URL("../../testing/outside/traffic.js", import.meta.url));
const STRANGER = signingKeyFromSeed(Buffer.alloc(32, 3));
const START_MS = 60_000;

/** A page, and how it came: by a question to the resolver, and a connection. */
const PAGE = "hello";
const WAY = [`tcp ${AUTHORITY_ADDRESS}:443`, `udp ${RESOLVER}:53`];

test("an appliance's only way out, tried from every place in it", async (t) => {
  const appliance = await startApplianceLab(t);
  const { outside, apply, fetch, put, receipt } = appliance;
  const applied = await apply();
  assert.equal(applied.code, 0, applied.stderr);
  assert.deepEqual(outside.arrived(), [], "nothing went out while it came up");

  /** It works as it is: what a denial is one change away from. */
  const works = async (): Promise<void> => {
    await put(receipt());
    assert.equal(await fetch(), PAGE);
    assert.deepEqual(outside.arrived(), WAY);
    outside.asked();
  };
  const denied = async (reason: string | RegExp, arrived: readonly string[] = []) => {
    assert.match(await fetch(), typeof reason === "string" ? new RegExp(`^${reason}$`) : reason);
    assert.deepEqual(outside.arrived(), arrived, String(reason));
  };

  await t.test(
    "with the receipt that apply wrote, a client at the management anchor gets out",
    async () => {
      await untilServing(appliance);
      assert.equal(await fetch(), PAGE);
      const arrived = outside.arrived();
      assert.deepEqual(arrived, WAY);
      assert.ok(outside.asked().every((asked) => asked === `${AUTHORITY} at ${RESOLVER}`));
    },
  );

  await t.test("every other receipt, and none, lets nothing out and asks nobody", async () => {
    const stale = new Date(Date.now() - 3_601_000).toISOString();
    const spoilt = Buffer.from(receipt());
    spoilt[spoilt.length - 10] = (spoilt.at(-10) ?? 0) ^ 1;
    const cases: readonly (readonly [string, Uint8Array | null])[] = [
      ["READBACK_MISSING", null],
      ["READBACK_UNSIGNED", spoilt],
      ["READBACK_UNSIGNED", receipt({}, STRANGER)],
      ["READBACK_DIFFERENT", receipt({ policyDigest: digestOf(Buffer.of()) })],
      ["READBACK_FAILED", receipt({ ok: false })],
      ["READBACK_STALE", receipt({ observedAt: stale })],
      ["READBACK_STALE", receipt({ bootId: "0".repeat(36) })],
    ];
    for (const [reason, bytes] of cases) {
      await works();
      await put(bytes);
      await denied(reason);
      assert.deepEqual(outside.asked(), []);
    }
    await works();
  });

  await t.test("what isn't signed isn't asked for", async () => {
    for (const [url, reason] of [
      ["https://unlisted.example.com/", "AUTHORITY_NOT_GRANTED"],
      [`https://${AUTHORITY}:8443/`, "PORT_NOT_GRANTED"],
      [`https://${AUTHORITY_ADDRESS}/`, "IP_LITERAL"],
      ["https://10.1.2.3/", "IP_LITERAL"],
    ] as const) {
      assert.equal(await fetch(url), reason);
      assert.deepEqual([outside.arrived(), outside.asked()], [[], []], url);
    }
    await works();
  });

  await t.test("a signed name whose address is special is asked for, and not dialled", async () => {
    for (const address of ["10.1.2.3", "169.254.169.254", "198.18.0.1"]) {
      await outside.answer({ names: { [AUTHORITY]: [address] }, serving: true });
      await denied(/^(ADDRESS|DNS)_\w+$/, [`udp ${RESOLVER}:53`]);
      // One that is global beside it makes it no better.
      await outside.answer({ names: { [AUTHORITY]: [AUTHORITY_ADDRESS, address] }, serving: true });
      await denied(/^(ADDRESS|DNS)_\w+$/, [`udp ${RESOLVER}:53`]);
    }
    await outside.answer({ names: NAMES, serving: true });
    await works();
  });

  await t.test("a resolver that is dead denies: nobody else is asked", async () => {
    await outside.answer({ names: NAMES, serving: false });
    await denied(/^DNS_\w+$/, [`udp ${RESOLVER}:53`]);
    await outside.answer({ names: NAMES, serving: true });
    await works();
  });

  await t.test(
    "an image's qualification: what is signed passes, and nothing else leaves",
    async () => {
      await put(receipt());
      outside.arrived();
      outside.asked();
      const open = await appliance.gate();
      const { outcome, guest, findings } = JSON.parse(open.stdout || "{}");
      assert.deepEqual([open.code, outcome, findings], [0, "OPEN", []], open.stderr);
      t.diagnostic(`${guest.probes.passed} flows at the gate`);
      assert.deepEqual(outside.arrived(), WAY);
      assert.ok(outside.asked().every((asked) => asked.endsWith(` at ${RESOLVER}`)));
      const control = await fromRouter(appliance);
      for (const flow of [
        `tcp ${AUTHORITY_ADDRESS}:443`,
        "tcp 10.255.255.254:443",
        ...[443, 123, 53].map((port) => `udp ${AUTHORITY_ADDRESS}:${port}`),
        `udp ${RESOLVER}:53`,
      ]) {
        assert.ok(control.includes(flow), flow);
      }
      await put(null);
      const shut = await appliance.gate();
      const said: { readonly findings: readonly { readonly code: string }[] } = JSON.parse(
        shut.stdout,
      );
      const codes = new Set(said.findings.map(({ code }) => code));
      assert.deepEqual([shut.code, [...codes]], [1, ["boundary.egress-probe-failed"]]);
    },
  );

  await t.test("a hole in the firewall is found by the probes alone", async () => {
    const table = await tableOf(appliance, "egress/special-purpose");
    await appliance.lab.run(["nft", `insert rule inet ${table} egress accept`]);
    const { results } = await probeEgress(appliance);
    const failed = new Set(results.filter(({ passed }) => !passed).map(({ trial }) => trial));
    assert.deepEqual(
      failed,
      new Set(["denied-range", "direct-tcp", "direct-udp", "direct-ntp", "direct-dns"]),
    );
    outside.arrived();
    const mended = await apply();
    assert.equal(mended.code, 0, mended.stderr);
    await works();
  });

  await t.test(
    "everything at once: participants, a publication and a tunnel, and every flow there is",
    async (subtest) => {
      await put(receipt());
      await everythingAtOnce(appliance, subtest);
    },
  );

  await t.test("a broker that was killed denies, and there is no other way", async () => {
    await appliance.lab.docker("kill", `${OWNER}-platform-egress`);
    await put(receipt());
    outside.arrived();
    await denied(/Failed to connect|Connection refused|timed out|No route/i);
    const again = await apply();
    assert.equal(again.code, 0, again.stderr);
    await untilServing(appliance);
    await works();
  });
});

/** A container runs before its program listens. */
const untilServing = async ({ fetch, outside }: ApplianceLab): Promise<void> => {
  for (const since = performance.now(); ; await pause(500)) {
    const said = await fetch();
    if (said === PAGE || performance.now() - since > START_MS) break;
  }
  outside.arrived();
  outside.asked();
};

const openAppliance = ({ lab }: ApplianceLab) =>
  permitChanges(openNamespace({ kind: "netns", path: lab.namespace }), {
    allowHostNetwork: false,
  });

/** What is bound, and the processes that it is bound to. */
const observed = async ({ lab, files }: ApplianceLab) => {
  using namespace = openAppliance({ lab } as ApplianceLab);
  const topology = await observeTopology(lab.backend, createKernelBackend(namespace));
  const at = (name: string) => `${files}/${name}`;
  const plan = parsePlan(readNamedFile(at("plan.yaml")), { file: "plan.yaml" });
  const file = "mounts/given/policy.yaml";
  const policy = parseAppliancePolicy(readNamedFile(at(file)), { file });
  const boundary = {
    scenario: bindScenario(plan, topology),
    platform: bindPlatform(policy, topology),
  };
  const containers = await lab.backend.containers();
  const pids = new Map<PlanAddress, number>(
    [...boundary.scenario.attachments, ...boundary.platform.attachments].flatMap(({ holder }) => {
      const name = holder.startsWith("platform.")
        ? `${OWNER}-platform-${holder.split(".").at(-1)}`
        : `${OWNER}-${holder.split(".").at(-1)}`;
      const pid = containers.find((container) => container.name === name)?.pid ?? null;
      return pid === null ? [] : [[holder, pid] as const];
    }),
  );
  const options = { pids, program: PROBER, toolDirectories: namespace.toolDirectories };
  return { boundary, plan, options };
};

const probeEgress = async (appliance: ApplianceLab) => {
  await appliance.put(appliance.receipt());
  const { boundary, options } = await observed(appliance);
  appliance.outside.arrived();
  appliance.outside.asked();
  return await runEgressProbes(boundary, options);
};

/** The same flows from the appliance's own namespace, which no anchor is in: all of them arrive. */
const fromRouter = async ({ lab, outside }: ApplianceLab): Promise<readonly string[]> => {
  outside.arrived();
  const udp = (address: string, port: number) =>
    lab.run(["bash", "-c", `echo probe >/dev/udp/${address}/${port}`]);
  const tcp = (address: string, port: number) =>
    lab.run(["sh", "-c", `busybox nc -w 2 ${address} ${port} </dev/null || true`]);
  await tcp(AUTHORITY_ADDRESS, 443);
  await tcp("10.255.255.254", 443);
  for (const port of [443, 123, 53]) await udp(AUTHORITY_ADDRESS, port);
  await udp(RESOLVER, 53);
  return outside.arrived();
};

/** The inet table that has a rule. */
const tableOf = async ({ lab }: ApplianceLab, rule: string): Promise<string> => {
  const tables = (await lab.run(["nft", "list", "tables", "inet"])).trim().split("\n");
  for (const line of tables) {
    const name = line.split(" ").at(-1) ?? "";
    if ((await lab.run(["nft", "list", "table", "inet", name])).includes(`"${rule}"`)) return name;
  }
  return assert.fail(`no table has ${rule}`);
};

interface Traffic {
  readonly child: ChildProcess;
  answers: number;
  ended: string | null;
}

const everythingAtOnce = async (appliance: ApplianceLab, t: TestContext): Promise<void> => {
  const { lab, outside, namespaceOf } = appliance;
  const listen = (name: string, port: number) =>
    lab.docker(
      ...["exec", "-d", `${OWNER}-${name}`, "/bin/nc", "-ll", "-p", String(port)],
      ...["-e", "/bin/cat"],
    );
  await listen("platform-management", 8443);
  await listen("platform-participant", 3000);
  const participant = await namespaceOf("platform-participant");
  const management = await namespaceOf("platform-management");
  const tunnel = [BROKER.host, String(BROKER.port), `${AUTHORITY}:443`, outside.authority];
  const traffic = await Promise.all([
    startTraffic(t, participant, "tcp", "10.99.2.20", "8443"),
    startTraffic(t, lab.namespace, "tcp", "127.0.0.1", "3000"),
    startTraffic(t, management, "tunnel", ...tunnel),
  ]);
  const before = traffic.map(({ answers }) => answers);
  const { boundary, plan, options } = await observed(appliance);
  const cells = predictTruthTable(boundary, plan.nodes);
  const seed = Buffer.from("everything");
  const since = performance.now();
  const { results, unproven } = await runProbes(cells, { ...options, extent: "all", seed });
  const took = Math.round(performance.now() - since);
  assert.deepEqual([results.filter(({ passed }) => !passed), unproven], [[], []]);
  const egress = await runEgressProbes(boundary, options);
  assert.deepEqual([egress.results.filter(({ passed }) => !passed), egress.unproven], [[], []]);
  const during = traffic.map(({ answers }, index) => answers - (before[index] ?? 0));
  assert.deepEqual(
    traffic.map(({ ended }) => ended),
    [null, null, null],
  );
  assert.ok(
    during.every((answers) => answers > 10),
    `${during}`,
  );
  const counted = (path: string, expected: string) =>
    cells.filter((cell) => cell.path === path && cell.expected === expected).length;
  t.diagnostic(
    `${results.length} flows in ${took} ms, beside ${during.join(", ")} answers; ` +
      ["same-bridge", "routed"]
        .map(
          (path) =>
            `${path}: ${counted(path, "reachable")} pass, ${counted(path, "blocked")} don't`,
        )
        .join("; "),
  );
  for (const path of ["same-bridge", "routed"]) {
    for (const expected of ["reachable", "blocked"]) assert.ok(counted(path, expected) > 0, path);
  }
  assert.deepEqual(outside.arrived(), WAY);
};

/** A connection that is busy until the test's end. */
const startTraffic = async (
  t: TestContext,
  namespace: string,
  ...args: readonly string[]
): Promise<Traffic> => {
  const child = spawn("nsenter", [`--net=${namespace}`, "--", process.execPath, TRAFFIC, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const traffic: Traffic = { child, answers: 0, ended: null };
  let said = "";
  child.stderr?.on("data", (bytes) => {
    said += bytes;
  });
  child.stdout?.on("data", (bytes: Buffer) => {
    traffic.answers += bytes.filter((byte) => byte === 0x0a).length;
  });
  child.once("close", () => {
    traffic.ended = `${args.join(" ")}: ${said}`;
  });
  t.after(async () => {
    if (traffic.ended !== null) return;
    const gone = once(child, "close");
    child.kill("SIGKILL");
    await gone;
  });
  for (const since = performance.now(); traffic.answers === 0; await pause(50)) {
    assert.equal(traffic.ended, null);
    assert.ok(performance.now() - since < START_MS, args.join(" "));
  }
  return traffic;
};
