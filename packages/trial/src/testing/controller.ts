import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DrydockError, signingKeyFromSeed } from "@drydock/evidence";
import { type Ledger, NOTHING, openSqliteLedger } from "@drydock/ledger";
import { identifyProcess, readBootId } from "@drydock/vm";
import { attachBulk } from "@drydock/wire";
import type { LAUNCHER, PORT } from "../contract/index.js";
import { Facts } from "../controller/context.js";
import { Run } from "../controller/run.js";
import {
  initialiseKeys,
  layoutOf,
  loadTrust,
  type RunLayout,
  runLayout,
  type StateLayout,
} from "../home/index.js";
import type { Finished } from "../launcher/lost.js";
import type { Calls } from "../link/index.js";
import { Session } from "../port/session.js";
import { honest } from "./fake-guest.js";
import { type FakeMachine, fakeMachine } from "./fake-machine.js";
import { pipePair } from "./pipe.js";
import { sealedInputs, testOrder } from "./sealed-inputs.js";
import { type FakeTimers, fakeTimers } from "./timers.js";

/** Called before and after each call of the controller's; what it throws is the call's failure. */
export type Watch = (call: string, when: "before" | "after") => unknown;

export interface TestRun {
  readonly run: Run;
  readonly state: StateLayout;
  readonly layout: RunLayout;
  readonly ledger: Ledger;
  readonly timers: FakeTimers;
  readonly fake: FakeMachine;
  /** The port process is gone: no call is answered any more. */
  losePort(): void;
  loseReaper(): void;
  /** What the launcher was told at the end. */
  readonly finished: Promise<Finished>;
}

const NAME = "run-1";
const NOW = new Date("2026-11-30T00:00:00Z");

/**
 * A controller on a real ledger, journal and evidence directory, with a port session on a fake
 * machine and a launcher that agrees to everything. Everything is in this process, and time is ours.
 */
export const testRun = (directory: string, watch: Watch): TestRun => {
  const state = layoutOf(directory);
  const layout = runLayout(join(state.runs, NAME));
  for (const path of [
    state.keys,
    state.journal,
    state.runs,
    layout.directory,
    layout.logs,
    layout.artifacts,
  ])
    mkdirSync(path, { mode: 0o700 });
  const key = initialiseKeys(state, Buffer.alloc(32, 3), NOW);
  const timers = fakeTimers();
  const fake = fakeMachine(honest);
  let tick = 0;
  const clock = {
    source: "linux.realtime-monotonic",
    wall: () => new Date(NOW.getTime() + tick).toISOString(),
    monotonicUs: () => ++tick,
  };
  const ledger = openSqliteLedger({
    path: state.ledger,
    ceiling: {
      ...NOTHING,
      liveBodies: 1,
      memoryBytes: 2 ** 40,
      cpuMillis: 9_000,
      diskBytes: 2 ** 40,
      wallMillis: 2 ** 40,
    },
    readHalt: () => ({ halted: false, generation: 0 }),
    clock: () => NOW.getTime(),
  });
  let portGone = false;
  const atWork = new Set<Promise<unknown>>();
  const watched = <C extends object>(side: string, calls: C): C =>
    Object.fromEntries(
      Object.entries(calls).map(([name, call]) => [
        name,
        async (params: unknown) => {
          const gone = (): void => {
            if (side === "port" && portGone) throw new DrydockError("LINK_CLOSED", "gone");
          };
          gone();
          await watch(`${side}.${name}`, "before");
          gone();
          const working = Promise.resolve((call as (params: unknown) => unknown)(params));
          if (side === "port") working.catch(() => undefined).finally(() => atWork.delete(working));
          if (side === "port") atWork.add(working);
          const result = await working;
          await watch(`${side}.${name}`, "after");
          gone();
          return result;
        },
      ]),
    ) as C;

  const log = layout.log("port");
  for (const path of [log.log, log.checkpoints]) writeFileSync(path, "", { mode: 0o600 });
  const [toPort, portUser] = pipePair();
  const user = attachBulk(toPort, { role: "opener", onClose: () => undefined });
  const session = new Session({
    key: signingKeyFromSeed(Buffer.alloc(32, 4)),
    clock,
    entropy: (bytes) => Buffer.alloc(bytes, 7),
    nowMs: () => timers.now(),
    user: attachBulk(portUser, { role: "acceptor", onClose: () => undefined }),
    controller: {
      guestLost: async ({ code }) => {
        if (!portGone) run.guestLost(code);
        return null;
      },
      violation: async ({ code }) => {
        if (!portGone) run.guestViolated(code);
        return null;
      },
    },
    connect: async () => fake.machine,
    files: {
      ...{ log: log.log, checkpoints: log.checkpoints },
      artifacts: layout.artifacts,
      source: "/none",
    },
  });

  let finish: (finished: Finished) => void = () => undefined;
  const finished = new Promise<Finished>((resolve) => {
    finish = resolve;
  });
  const work = async (): Promise<void> => {
    const [stdout, stderr] = [user.open(), user.open()];
    for (const stream of [stdout, stderr]) stream.resume().end();
    const { exec, finish: end } = run.handlers();
    try {
      await exec({
        ...{
          exec: "e1",
          argv: ["true"],
          env: [],
          cwd: "/",
          user: { uid: 1000, gid: 1000 },
          tty: null,
        },
        streams: { stdin: null, stdout: stdout.id, stderr: stderr.id },
      });
    } finally {
      await end(null);
    }
  };
  const launcher = watched("launcher", {
    seal: async () => sealedInputs(),
    createSlot: async () => null,
    stage: async () => ({ bytes: 0 }),
    spawn: async () => ({
      pid: 1,
      endpoints: {
        ...{
          adapter: "fake",
          monitor: "/m",
          console: "/c",
          channels: { "drydock.control.0": "/0" },
        },
        start: { kind: "boot" as const },
      },
      limits: { matches: true, effective: {} },
    }),
    observe: async () => ({ observed: {}, differences: [] }),
    usage: async () => ({ memoryPeakBytes: 1, pidsPeak: 1, oomKills: 0, diskBytes: 0 }),
    kill: async () => {
      fake.die();
      return { dead: true };
    },
    destroy: async ({ artifacts }: { readonly artifacts: "keep" | "discard" }) => {
      // It kills the port process as well: what that was doing is over.
      portGone = true;
      await Promise.allSettled(atWork);
      fake.silence();
      if (artifacts === "discard")
        for (const name of readdirSync(layout.artifacts)) rmSync(join(layout.artifacts, name));
      return { leftovers: [] };
    },
    canonical: async () => ({ after: null, comparison: null }),
    phase: async () => null,
    ready: async () => {
      // A command that is refused, or cut off, is what the run's end says.
      work().catch(() => undefined);
      return null;
    },
    exited: async () => null,
    finished: async (said: Finished) => {
      finish(said);
      return null;
    },
  } satisfies Calls<typeof LAUNCHER>);

  let markLost: () => void = () => undefined;
  const lost = new Promise<void>((resolve) => {
    markLost = resolve;
  });
  let reaperGone = false;
  const reaperCall = async (): Promise<void> => {
    if (reaperGone) throw new DrydockError("REAPER_LOST", "gone");
  };
  const identity = identifyProcess(process.pid);
  const run: Run = new Run({
    order: testOrder(NAME),
    plan: {
      channels: ["drydock.bulk.0"],
      quiesced: [],
      deadlines: {
        ...{ wall: 60_000, idle: null, ending: 10_000 },
        phase: new Proxy({}, { get: () => 30_000 }) as never,
      },
    },
    ...{ state, layout, key, ledger, launcher, timers, clock },
    trust: loadTrust(state.trust),
    port: watched("port", session.handlers() as unknown as Calls<typeof PORT>),
    egress: null,
    reaper: { arm: reaperCall, quit: reaperCall, lost },
    entropy: (bytes) => Buffer.alloc(bytes, 9),
    owner: { bootId: readBootId(), pid: process.pid, startTicks: identity?.startTime ?? 0 },
    facts: new Facts(),
  });
  return {
    ...{ run, state, layout, ledger, timers, fake, finished },
    losePort: () => {
      portGone = true;
      run.portLost();
    },
    loseReaper: () => {
      reaperGone = true;
      markLost();
      run.reaperLost();
    },
  };
};
