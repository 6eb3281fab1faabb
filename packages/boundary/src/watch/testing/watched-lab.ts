import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { GateBinding, GateFinding } from "../../gate/index.js";
import { openResidentKernel } from "../../kernel/index.js";
import { openNamespace, permitChanges } from "../../nft/index.js";
import { type GuestSources, rememberingCheck } from "../../observe/index.js";
import { formatSelector } from "../../policy/index.js";
import { aimAt, applyBoundary } from "../../realise/index.js";
import { wantedOf } from "../../realise/testing/lab-wanted.js";
import { startEngineLab } from "../../testing/engine-lab.js";
import { plan, policy } from "../../testing/index.js";
import {
  CheckThread,
  raisePriority,
  ruleEvents,
  type WatchEvent,
  watchBoundary,
} from "../index.js";

const CHECK = fileURLToPath(new URL("../check-worker.js", import.meta.url));

interface Ending {
  after(fn: () => Promise<void> | void): void;
}

/** The example under its policy, applied to an engine of its own, and everything to watch it with. */
export const bringUp = async (t: Ending, owner: string) => {
  const lab = await startEngineLab(t);
  const namespace = permitChanges(openNamespace({ kind: "netns", path: lab.namespace }), {
    allowHostNetwork: false,
  });
  t.after(() => namespace[Symbol.dispose]());
  const kernel = openResidentKernel(namespace);
  t.after(() => kernel[Symbol.dispose]());
  const thread = new CheckThread(CHECK);
  t.after(() => thread[Symbol.asyncDispose]());
  const aim = await aimAt(wantedOf({ owner, image: lab.image }), kernel);
  const apply = () => applyBoundary(aim, { engine: lab.backend, kernel, onStage: () => undefined });
  // After the engine, which isn't raised with it.
  raisePriority();
  const { topology } = await apply();
  const { bootId, daemonId } = topology;
  const binding: GateBinding = {
    planDigest: plan.digest,
    hostBootId: bootId,
    guestBootId: bootId,
    guestDaemonId: daemonId,
    hostObservationId: null,
    launch: "",
    mappings: [],
  };
  const sources = {
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
  } satisfies GuestSources;
  const check = rememberingCheck((request) => thread.check(request));
  const { image } = aim.wanted.helper;
  const images = { helperImage: image, proxyImage: image };
  return { owner, lab, namespace, apply, aim, binding, sources, images, check };
};

export type WatchedLab = Awaited<ReturnType<typeof bringUp>>;

/** A watch that runs, and how long something took to follow from what was done. */
export const startWatch = async (
  { aim, binding, images, sources, namespace, check }: WatchedLab,
  t: Ending,
  mode: "close" | "report" = "close",
) => {
  const ending = new AbortController();
  const events: { readonly event: WatchEvent; readonly at: number }[] = [];
  const reports: GateFinding[] = [];
  const done = watchBoundary(
    { aim, binding, images, mode },
    {
      ...sources,
      check,
      ruleEvents: (signal) => ruleEvents(namespace, signal),
      report: (findings) => void reports.push(...findings),
      onEvent: (event) => void events.push({ event, at: performance.now() }),
      now: () => performance.now(),
      clock: () => new Date(),
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
    for (let tries = 0; tries < 2_400; tries += 1) {
      const found = events.find(({ event, at }) => at >= since && is(event));
      if (found !== undefined) return Math.round(found.at - since);
      await pause(25);
    }
    throw new Error(`never: ${JSON.stringify([events.slice(-12), reports.slice(-12)])}`);
  };
  await until((event) => event.kind === "observed" && event.findings.length === 0, 0);
  return { until, reports, stop };
};

const STEP_MS = 5;

/**
 * Bytes that go from one container to another and back, one every few milliseconds, without the
 * engine in between. They pass when it's returned.
 */
export const startStream = async (
  { lab, owner }: Pick<WatchedLab, "lab" | "owner">,
  t: Ending,
  { from, to, address, port }: Readonly<Record<"from" | "to" | "address" | "port", string>>,
) => {
  const inside = async (name: string, argv: readonly string[]): Promise<ChildProcess> => {
    const pid = await lab.docker("inspect", "--format", "{{.State.Pid}}", `${owner}-${name}`);
    const child = spawn("nsenter", [`--net=/proc/${pid}/ns/net`, "--", ...argv], {
      stdio: ["pipe", "pipe", "ignore"],
      // A group of its own: for each connection the listener starts a program, which outlives it.
      detached: true,
    });
    child.stdin?.on("error", () => undefined);
    return child;
  };
  const listener = await inside(to, ["busybox", "nc", "-ll", "-p", port, "-e", "/bin/cat"]);
  let client = await inside(from, ["busybox", "nc", address, port]);
  let last = 0;
  let isOver = false;
  const hear = () =>
    client.stdout?.on("data", () => {
      last = performance.now();
    });
  hear();
  const writer = setInterval(() => client.stdin?.write("x"), STEP_MS);
  const stop = async () => {
    if (isOver) return;
    isOver = true;
    clearInterval(writer);
    for (const child of [client, listener]) {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) continue;
      const ended = once(child, "close");
      process.kill(-child.pid, "SIGKILL");
      await ended;
    }
  };
  t.after(stop);
  for (let tries = 0; last === 0; tries += 1) {
    if (tries > 300) throw new Error("no connection came up");
    await pause(100);
    // The listener may start later than who asks for it.
    if (client.exitCode !== null) {
      client = await inside(from, ["busybox", "nc", address, port]);
      hear();
    }
  }
  return { lastAt: () => last, stop };
};
