import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { Socket } from "node:net";
import type { LogClock } from "@drydock/evidence";
import { openSqliteLedger, type Resources } from "@drydock/ledger";
import { BULK_CHANNEL, EGRESS_CHANNEL } from "@drydock/vm";
import {
  CONTROLLER,
  EGRESS,
  EGRESS_EVENTS,
  LAUNCHER,
  type Order,
  PORT,
  PORT_EVENTS,
} from "../contract/index.js";
import { layoutOf, loadControllerKey, loadTrust, readHaltState, runLayout } from "../home/index.js";
import type { LifecyclePlan } from "../lifecycle/index.js";
import { type Calls, Link } from "../link/index.js";
import { Facts } from "./context.js";
import { reaperLink } from "./reaper-link.js";
import { Run } from "./run.js";
import { systemTimers } from "./timers.js";

/**
 * The controller process. Its own user; sees the state directory and nothing else of the host
 * that it could write. Descriptors: 3 launcher, 4 port, 5 reaper, 6 broker if the run has one.
 *
 * Arguments: state directory, run directory (both as this process sees them), ceiling as JSON.
 */
const [stateDirectory = "", runDirectory = "", ceiling = "{}"] = process.argv.slice(2);

const clock: LogClock = {
  source: "linux.realtime-monotonic",
  wall: () => new Date().toISOString(),
  monotonicUs: () => Number(process.hrtime.bigint() / 1000n),
};

const startTicks = (): number => {
  const stat = readFileSync("/proc/self/stat", "utf8");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]);
};

const launcherLink = new Link(new Socket({ fd: 3 }));
const portLink = new Link(new Socket({ fd: 4 }));
const reaper = reaperLink(new Socket({ fd: 5 }));
const launcher: Calls<typeof LAUNCHER> = launcherLink.calls(LAUNCHER);

/** Phases that only move a few bytes get seconds; those that seal, copy or boot get minutes. */
const SECONDS = 1000;
const PHASE_DEADLINES: LifecyclePlan["deadlines"]["phase"] = {
  PLAN: 30 * SECONDS,
  SEAL: 600 * SECONDS,
  APPROVE: 30 * SECONDS,
  RESERVE: 30 * SECONDS,
  STAGE: 60 * SECONDS,
  BOOT: 120 * SECONDS,
  ATTEST: 30 * SECONDS,
  HANDSHAKE: 60 * SECONDS,
  INJECT: 30 * SECONDS,
  OBSERVE: 30 * SECONDS,
  QUIESCE: 30 * SECONDS,
  COLLECT: 120 * SECONDS,
  VERIFY: 30 * SECONDS,
  SETTLE: 30 * SECONDS,
  DESTROY: 120 * SECONDS,
};
const ENDING_DEADLINE_MS = 10 * SECONDS;

const begin = (order: Order): Run => {
  const state = layoutOf(stateDirectory);
  const trust = loadTrust(state.trust);
  const ledger = openSqliteLedger({
    path: state.ledger,
    ceiling: JSON.parse(ceiling) as Resources,
    readHalt: () => {
      const { halted, generation } = readHaltState(state, trust);
      return { halted, generation };
    },
    clock: () => Date.now(),
  });
  const ways = order.egress === null ? [] : [EGRESS_CHANNEL];
  const egressLink = order.egress === null ? null : new Link(new Socket({ fd: 6 }));
  const run = new Run({
    order,
    plan: {
      channels: [BULK_CHANNEL, ...ways],
      quiesced: ways,
      deadlines: {
        wall: order.limits.wallMs,
        idle: order.limits.idleMs,
        phase: PHASE_DEADLINES,
        ending: ENDING_DEADLINE_MS,
      },
    },
    state,
    layout: runLayout(runDirectory),
    key: loadControllerKey(state),
    trust,
    ledger,
    launcher,
    port: portLink.calls(PORT),
    egress: egressLink?.calls(EGRESS) ?? null,
    reaper,
    timers: systemTimers,
    clock,
    entropy: randomBytes,
    owner: {
      bootId: readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim(),
      pid: process.pid,
      startTicks: startTicks(),
    },
    facts: new Facts(),
  });
  portLink.serve(PORT_EVENTS, {
    guestLost: ({ code }) => {
      run.guestLost(code);
      return null;
    },
    violation: ({ code }) => {
      run.guestViolated(code);
      return null;
    },
  });
  egressLink?.serve(EGRESS_EVENTS, {
    lost: ({ code }) => {
      run.guestLost(code);
      return null;
    },
    violation: ({ code }) => {
      run.guestViolated(code);
      return null;
    },
  });
  void egressLink?.ended.then(() => run.egressLost());
  void portLink.ended.then(() => run.portLost());
  void reaper.lost.then(() => run.reaperLost());
  void run.finished.then(() => {
    ledger.close();
    process.exit(0);
  });
  run.start();
  return run;
};

let run: Run | null = null;
const started = (): Run => {
  if (run === null) throw new Error("begin comes first");
  return run;
};

launcherLink.serve(CONTROLLER, {
  begin: (order) => {
    if (run !== null) throw new Error("a controller process has one run");
    run = begin(order);
    return null;
  },
  exec: (request) => started().handlers().exec(request),
  put: (request) => started().handlers().put(request),
  get: (request) => started().handlers().get(request),
  signal: (request) => started().handlers().signal(request),
  resize: (request) => started().handlers().resize(request),
  finish: (request) => started().handlers().finish(request),
  abort: (request) => started().handlers().abort(request),
});

// `halt on` asks for an orderly kill: channels first, then the guest.
process.on("SIGTERM", () => run?.halt());

// Without a launcher nobody can do what root must do: leave everything to the reaper.
void launcherLink.ended.then(() => process.exit(1));
