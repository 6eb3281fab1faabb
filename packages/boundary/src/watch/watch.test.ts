import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { profile } from "@drydock/testkit";
import { driftFindings, type GateBinding, type GateFinding } from "../gate/index.js";
import { createKernelBackend } from "../kernel/index.js";
import { openNamespace, permitChanges } from "../nft/index.js";
import { type GuestSources, observeGuest } from "../observe/index.js";
import { parsePlatform } from "../platform/index.js";
import { formatSelector } from "../policy/index.js";
import { runProbes } from "../probe/index.js";
import { aimAt, applyBoundary, type Wanted } from "../realise/index.js";
import { tableName } from "../ruleset/index.js";
import { startEngineLab } from "../testing/engine-lab.js";
import { plan, platformFile, policy } from "../testing/index.js";
import { ruleEvents, type WatchEvent, watchBoundary } from "./index.js";

const OWNER = "dd-watch";
const PROBER = fileURLToPath(new URL("../probe/prober.js", import.meta.url));
const SECOND = 1_000;

const bringUp = async (t: TestContext) => {
  const lab = await startEngineLab(t);
  const namespace = permitChanges(openNamespace({ kind: "netns", path: lab.namespace }), {
    allowHostNetwork: false,
  });
  t.after(() => namespace[Symbol.dispose]());
  const kernel = createKernelBackend(namespace);
  const reference = `lab@${lab.image}`;
  const parts = parsePlatform(Buffer.from(platformFile(reference)), { file: "platform.yaml" });
  const wanted = {
    owner: OWNER,
    plan,
    platform: { policy, parts },
    images: new Map([[reference, lab.image]]),
    helper: { image: reference, command: ["/bin/sleep", "3600"] },
  } satisfies Wanted;
  const aim = await aimAt(wanted, kernel);
  const apply = () => applyBoundary(aim, { engine: lab.backend, kernel, onStage: () => undefined });
  const { topology } = await apply();
  const { bootId, daemonId } = topology;
  const binding: GateBinding = {
    launch: "",
    planDigest: plan.digest,
    hostBootId: bootId,
    guestBootId: bootId,
    guestDaemonId: daemonId,
    hostObservationId: null,
    mappings: [],
  };
  const sources: GuestSources = {
    engine: lab.backend,
    kernel,
    probe: null,
    probeEgress: null,
    holders: async () => ({
      holders: policy.allowedHolders.map((selector) => ({
        identity: "deployer",
        selector: formatSelector(selector),
        daemonId,
        access: "socket" as const,
        overprivileged: [],
      })),
      missing: [],
    }),
    workbenchPolicyVersion: async () => policy.workbenchPolicyVersion,
  };
  const images = { helperImage: reference, proxyImage: reference };
  return { lab, namespace, apply, aim, binding, sources, images };
};

type Boundary = Awaited<ReturnType<typeof bringUp>>;

/** A watch that runs, and how long something took to follow from what was done. */
const startWatch = async (
  { aim, binding, images, sources, namespace }: Boundary,
  t: { after(fn: () => Promise<void>): void },
) => {
  const ending = new AbortController();
  const events: { readonly event: WatchEvent; readonly at: number }[] = [];
  const reports: GateFinding[] = [];
  const done = watchBoundary(
    { aim, binding, images, mode: "close" },
    {
      ...sources,
      ruleEvents: (signal) => ruleEvents(namespace, signal),
      report: (findings) => void reports.push(...findings),
      onEvent: (event) => void events.push({ event, at: performance.now() }),
      now: () => performance.now(),
      wait: (ms, signal) => pause(ms, undefined, { signal }).catch(() => undefined),
    },
    ending.signal,
  );
  const stop = async () => {
    ending.abort();
    await done;
  };
  t.after(stop);
  const until = async (is: (event: WatchEvent) => boolean, since: number): Promise<number> => {
    for (let tries = 0; tries < 600; tries += 1) {
      const found = events.find(({ event, at }) => at >= since && is(event));
      if (found !== undefined) return Math.round(found.at - since);
      await pause(25);
    }
    throw new Error(`never: ${JSON.stringify([events.slice(-12), reports.slice(-12)])}`);
  };
  await until((event) => event.kind === "observed" && event.findings.length === 0, 0);
  return { until, reports, stop };
};

/** A connection between two containers that stays open; it has echoed once when it's returned. */
const holdConnection = async ({ lab }: Boundary, t: { after(fn: () => void): void }) => {
  await lab.docker("exec", "-d", `${OWNER}-web`, "nc", "-ll", "-p", "80", "-e", "/bin/cat");
  const inWorkstation = ["-H", `unix://${lab.socket}`, "exec", "-i", `${OWNER}-workstation`];
  // Its listener may start later than who asks for it.
  for (let tries = 0; tries < 10; tries += 1) {
    const child = spawn("docker", [...inWorkstation, "nc", "10.60.2.8", "80"], {
      stdio: ["pipe", "pipe", "ignore"],
    });
    child.stdin.on("error", () => undefined);
    t.after(() => child.kill("SIGKILL"));
    const say = (text: string, ms: number): Promise<boolean> => {
      const heard = new Promise<boolean>((resolve) => {
        child.stdout.once("data", () => resolve(true));
        child.once("close", () => resolve(false));
      });
      child.stdin.write(`${text}\n`);
      return Promise.race([heard, pause(ms, false)]);
    };
    if (await say("before", 10 * SECOND)) return say;
  }
  throw new Error("no connection came up");
};

test("an appliance that is watched: seen, probed, bound again, and closed", async (t) => {
  const boundary = await bringUp(t);
  const { lab, apply, aim, binding, sources, images } = boundary;
  const observe = async (probe: GuestSources["probe"] = null) => {
    const since = performance.now();
    const guest = await observeGuest(aim, images, { ...sources, probe });
    return { guest, took: Math.round(performance.now() - since) };
  };
  const findings = async () => {
    const { guest } = await observe();
    return driftFindings({ policy, binding, guest });
  };

  await t.test("a whole observation finds nothing, well within its freshness", async () => {
    const times: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const { guest, took } = await observe();
      assert.deepEqual(driftFindings({ policy, binding, guest }), []);
      assert.deepEqual(
        guest.enforcements.map(({ families, defaultDeny }) => [families.length, defaultDeny]),
        [
          [2, true],
          [2, true],
        ],
      );
      times.push(took);
    }
    t.diagnostic(`observed in ${times.join(", ")} ms`);
    // The first one is of a program that was never run before.
    assert.ok(Math.min(...times) < policy.observationFreshnessSeconds * SECOND, `${times}`);
  });

  // Every flow takes a minute on a busy machine.
  const extents = profile.name === "soak" ? (["sample", "all"] as const) : (["sample"] as const);
  for (const extent of extents) {
    await t.test(`what is predicted is what is seen from inside: ${extent}`, async () => {
      const seed = Buffer.from("a seed");
      const { guest, took } = await observe((cells, pids) =>
        runProbes(cells, {
          extent,
          seed,
          pids,
          program: PROBER,
          toolDirectories: boundary.namespace.toolDirectories,
        }),
      );
      t.diagnostic(`${extent}: ${guest.probes.length} probes in ${took} ms`);
      assert.deepEqual(
        guest.probes.filter(({ passed }) => !passed),
        [],
      );
      assert.deepEqual(guest.gaps, []);
      for (const authority of ["scenario", "platform"]) {
        for (const expectation of ["reachable", "blocked"]) {
          assert.ok(
            guest.probes.some(
              (probe) => probe.authority === authority && probe.expectation === expectation,
            ),
          );
        }
      }
      assert.doesNotMatch(readProcesses(), /probe\/prober\.js/, "none is left");
    });
  }

  await t.test("a container that starts again is bound again", async (each) => {
    const watch = await startWatch(boundary, each);
    const since = performance.now();
    await lab.docker("restart", "-t", "0", `${OWNER}-web`);
    await watch.until(({ kind }) => kind === "bound", since);
    const started = performance.now();
    await watch.until((event) => event.kind === "observed" && event.findings.length === 0, started);
    assert.deepEqual(watch.reports, []);
    await watch.stop();
    assert.deepEqual(await findings(), []);
  });

  await t.test("a rule that is broken by hand closes it and cuts what runs", async (each) => {
    const watch = await startWatch(boundary, each);
    const say = await holdConnection(boundary, each);
    assert.equal(await say("before", 10 * SECOND), true);
    const [line = ""] = (await lab.run(["nft", "list", "tables", "inet"])).split("\n");
    const since = performance.now();
    await lab.run(["nft", "insert", "rule", ...line.split(" ").slice(1), "forward", "accept"]);
    const took = await watch.until(({ kind }) => kind === "dropped", since);
    t.diagnostic(`closed ${took} ms after nft`);
    assert.ok(watch.reports.some(({ code }) => code === "boundary.guest-readback-difference"));
    assert.equal(await say("after", 2 * SECOND), false);
    await watch.stop();
    await apply();
    assert.deepEqual(await findings(), []);
  });

  await t.test("where a table's name is somebody else's, nothing runs on", async (each) => {
    const watch = await startWatch(boundary, each);
    const running = () => lab.docker("ps", "-q", "--filter", `label=dev.drydock.owner=${OWNER}`);
    assert.notEqual(await running(), "", "control");
    await lab.docker(
      "run",
      "-d",
      "--network",
      "none",
      "--name",
      "bystander",
      "lab:1",
      "/bin/sleep",
      "3600",
    );
    const name = tableName(OWNER, "scenario");
    const since = performance.now();
    await lab.run([
      "nft",
      `delete table inet ${name}; add table inet ${name}; add chain inet ${name} c`,
    ]);
    const isRefused = (event: WatchEvent) => event.kind === "failed" && event.what === "drop";
    const took = await watch.until(isRefused, since);
    t.diagnostic(`nothing ran ${took} ms after nft`);
    assert.equal(await running(), "");
    assert.notEqual(await lab.docker("ps", "-q", "--filter", "name=bystander"), "");
    await assert.rejects(apply(), { code: "TABLE_FOREIGN" });
    assert.equal(await running(), "", "an apply that is refused starts nothing");
    await watch.stop();
    await lab.docker("rm", "-f", "bystander");
    await lab.run(["nft", `delete table inet ${name}`]);
    await apply();
    assert.deepEqual(await findings(), []);
  });

  await t.test("somebody else's container under the same name closes it", async (each) => {
    const watch = await startWatch(boundary, each);
    await lab.docker("rm", "-f", `${OWNER}-mail`);
    const since = performance.now();
    await lab.docker(
      ...["run", "-d", "--name", `${OWNER}-mail`, "--network", `${OWNER}-dmz`],
      ...["--ip", "10.60.2.9", "lab:1", "/bin/sleep", "3600"],
    );
    const took = await watch.until(({ kind }) => kind === "dropped", since);
    t.diagnostic(`closed ${took} ms after the container was asked for`);
    assert.ok(watch.reports.length > 0);
    await watch.stop();
    await lab.docker("rm", "-f", `${OWNER}-mail`);
    await apply();
    assert.deepEqual(await findings(), []);
  });

  await t.test(
    "a network that is made again on another bridge closes it, and that bridge",
    async (each) => {
      const watch = await startWatch(boundary, each);
      const wan = aim.desired.networks.find(({ spec }) => spec.name === `${OWNER}-wan`);
      assert.ok(wan !== undefined);
      await lab.docker("network", "disconnect", "-f", `${OWNER}-wan`, `${OWNER}-attacker`);
      await lab.docker("network", "rm", `${OWNER}-wan`);
      await lab.backend.createNetwork({ ...wan.spec, bridge: "br-other" });
      const since = performance.now();
      await watch.until(({ kind }) => kind === "dropped", since - 10 * SECOND);
      await watch.until(({ kind }) => kind === "dropped", since);
      const listing = await lab.run(["nft", "list", "ruleset"]);
      assert.match(listing, /"br-other"/);
      await watch.stop();
    },
  );
});

/** Command lines of this process's children: a prober is one, and nobody else's is meant. */
const readProcesses = (): string =>
  readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "latin1")
    .split(" ")
    .filter((pid) => existsSync(`/proc/${pid}/cmdline`))
    .map((pid) => readFileSync(`/proc/${pid}/cmdline`, "latin1"))
    .join("\n");
