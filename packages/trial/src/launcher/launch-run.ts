import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import type { Socket } from "node:net";
import { basename, join } from "node:path";
import { DrydockError } from "@drydock/evidence";
import {
  addSlotOwner,
  allocateSlot,
  BULK_CHANNEL,
  destroySlot,
  EGRESS_CHANNEL,
  emptySlot,
  ensureDirectory,
  ensureNative,
  identifyProcess,
  openStore,
  readOwner,
  resolveImage,
  type Slot,
  systemTools,
} from "@drydock/vm";
import { attachBulk, type BulkChannel } from "@drydock/wire";
import {
  CONTROLLER,
  EGRESS_SUPPLIES,
  type EgressSupplies,
  LAUNCHER,
  type Order,
} from "../contract/index.js";
import { haltNow, layoutOf, type RunLayout, runLayout, type StateLayout } from "../home/index.js";
import { type Calls, type Handlers, Link, socketPair } from "../link/index.js";
import { giveUpRun, handOver, scratchOf, sweepMachine } from "../recovery/index.js";
import { describeNote, type SourceRequest } from "../seal/index.js";
import type { RunSpec } from "../spec/index.js";
import { refuseUnderHalt, requireHome } from "../state/index.js";
import { requireBrokerTrust } from "./broker-trust.js";
import { ceilingHere } from "./ceiling.js";
import { Helpers } from "./helpers.js";
import { ensureState } from "./home.js";
import { closedSocket, type Finished, LOST, lostAfterwards, lostTo } from "./lost.js";
import { RunMachine, sealedMachine } from "./machine.js";
import { type OrderOptions, orderOf } from "./order.js";
import { helperLimits } from "./process-group.js";
import { ensureMountPoints, startReaper } from "./processes.js";
import { cachedFileDigest, type Program, requireReadable } from "./program.js";
import { requireRoot } from "./require-root.js";
import { createRunDirectory, discardArtifacts, handIn } from "./run-directory.js";
import type { SealedInput } from "./sealing.js";

/** A way out. */
export interface LaunchEgress {
  /** Its policy in canonical JSON, who signed it, and which secrets there are: all but their values. */
  readonly sealed: NonNullable<Order["egress"]>;
  /** For the broker alone. */
  readonly supplies: EgressSupplies;
  /** Variables of commands that name the certificates of the run; none when it has no CA. */
  readonly trust: Readonly<Record<string, string>>;
}

export interface LaunchOptions {
  readonly state: string;
  readonly cache: string;
  readonly program: Program;
  readonly spec: RunSpec;
  readonly source: SourceRequest | null;
  /** One key is one run, for ever; null for a run of its own. */
  readonly idempotencyKey: string | null;
  /** Whether the command gets a terminal; false when it isn't said. */
  readonly terminal?: boolean;
  /** What the guest may reach; null for nothing. */
  readonly egress: LaunchEgress | null;
  readonly onPhase?: (phase: string) => void;
  readonly onNote?: (note: string) => void;
}

export type CommandEnd = ReturnType<(typeof CONTROLLER)["exec"]["result"]>["exit"];

/** A run that was started; DRIVE has begun once `ready` resolves. */
export interface LaunchedRun {
  readonly run: string;
  readonly evidence: string;
  readonly controller: Calls<typeof CONTROLLER>;
  /** Streams to and from commands. */
  readonly streams: BulkChannel;
  /** Rejects when the run ends before DRIVE. */
  readonly ready: Promise<void>;
  /** The run's end, whichever way it came; everything of it is gone by then. */
  readonly finished: Promise<Finished>;
}

/**
 * Starts a run: takes a slot, starts reaper, controller and port process, and does for the
 * controller what root must do. Nothing is left behind when it throws.
 *
 * @throws DrydockError NOT_ROOT, HALTED, IMAGE_*, STATE_* and what launching throws.
 */
export const launchRun = async (options: LaunchOptions): Promise<LaunchedRun> => {
  requireHome(options.state);
  requireRoot("starting a virtual machine behind its walls");
  // Before anything is made: under halt a dynamic verb leaves the machine as it found it.
  refuseUnderHalt("run", haltNow(layoutOf(options.state)));
  const { layout, madeKeys, environmentKey } = ensureState(options.state, new Date());
  if (options.egress !== null) requireBrokerTrust(layout);
  if (madeKeys) options.onNote?.(`made a controller key; its trust file is ${layout.trust}`);
  requireReadable(options.program);
  ensureMountPoints(options.program);
  const { live } = await sweepMachine(layout);

  const store = openStore(join(options.cache, "images"));
  const tools = systemTools();
  const native = await ensureNative(store, tools, options.program.nativeSource);
  const image = await resolveImage(store, options.spec.image);
  const self = identifyProcess(process.pid);
  if (self === undefined) throw new DrydockError("INTERNAL", "/proc doesn't show this process");

  const run = newRunId(new Date());
  const slot = allocateSlot(run, { ...self, role: "launcher" });
  const launch = new RunLaunch(options, slot, layout, native, { liveRuns: live, environmentKey });
  try {
    return await launch.start(
      new RunMachine({
        store,
        tools,
        native,
        image,
        cpus: options.spec.limits.cpus,
        memoryBytes: options.spec.limits.memoryBytes,
        diskBytes: options.spec.limits.diskBytes,
        snapshot: options.spec.snapshot,
        slot,
        scratch: launch.scratch,
        channels: [BULK_CHANNEL, ...(options.egress === null ? [] : [EGRESS_CHANNEL])],
      }),
      image,
    );
  } catch (error) {
    await launch.abandon();
    throw error;
  }
};

const NO_PAIR = [null, null] as const;

/** Sorts by time; the rest is random, so that no two are equal. */
const newRunId = (now: Date): string =>
  `${now.toISOString().replace(/[-:]|\.\d+/g, "")}-${randomBytes(5).toString("hex")}`;

class RunLaunch {
  readonly scratch: string;
  readonly #options: LaunchOptions;
  readonly #slot: Slot;
  readonly #state: StateLayout;
  readonly #native: string;
  readonly #known: Pick<OrderOptions, "environmentKey" | "liveRuns">;
  readonly #layout: RunLayout;
  readonly #sockets: Socket[] = [];
  #reaper: Socket | null = null;
  #sealed: SealedInput | null = null;
  #machine: RunMachine | null = null;
  #helpers: Helpers | null = null;
  /** From here on there may be a row in the ledger. */
  #asked = false;

  constructor(
    options: LaunchOptions,
    slot: Slot,
    state: StateLayout,
    native: string,
    known: Pick<OrderOptions, "environmentKey" | "liveRuns">,
  ) {
    this.#options = options;
    this.#slot = slot;
    this.#state = state;
    this.#native = native;
    this.#known = known;
    this.#layout = runLayout(join(state.runs, slot.run));
    this.scratch = scratchOf(state.runs, slot.run);
  }

  async start(
    machine: RunMachine,
    image: Awaited<ReturnType<typeof resolveImage>>,
  ): Promise<LaunchedRun> {
    const { program, spec } = this.#options;
    const slot = this.#slot;
    this.#machine = machine;
    const pair = async (): Promise<readonly [Socket, Socket]> => {
      const sockets = await socketPair(slot.directory);
      this.#sockets.push(...sockets);
      return sockets;
    };
    const [
      [toReaper, fromLauncher],
      [toController, controllerEnd],
      [controllerToPort, portEnd],
      [controllerToReaper, reaperEnd],
      [toPort, portUser],
      [controllerToEgress, egressEnd],
      [toEgress, egressUser],
    ] = await Promise.all([
      pair(),
      pair(),
      pair(),
      pair(),
      pair(),
      this.#options.egress === null ? NO_PAIR : pair(),
      this.#options.egress === null ? NO_PAIR : pair(),
    ]);

    // First of all: whatever comes into being after it is removed by it.
    const reaper = await startReaper({
      native: this.#native,
      program,
      slot,
      state: this.#options.state,
      launcher: fromLauncher,
      controller: reaperEnd,
    });
    this.#reaper = toReaper;
    addSlotOwner(slot, { ...reaper, role: "reaper" });

    // Early: it takes the longest, and the controller asks for it only after it has started.
    const prepared = machine.prepare();
    prepared.catch(() => undefined);
    const nodeDigest = cachedFileDigest(process.execPath, join(this.#options.cache, "digests"));
    nodeDigest.catch(() => undefined);

    const layout = createRunDirectory(this.#state.runs, slot.run, slot, [
      "port",
      ...(egressEnd === null ? [] : (["egress"] as const)),
    ]);
    mkdirSync(this.scratch, { mode: 0o700 });
    const staging = join(slot.directory, "in");
    ensureDirectory(staging, 0o711);
    this.#helpers = await Helpers.start({
      ...{ native: this.#native, program, slot, state: this.#options.state, layout, staging },
      ceiling: JSON.stringify(ceilingHere(this.#options.state)),
      limits: helperLimits(spec.limits),
      controller: {
        ...{ launcher: controllerEnd, port: controllerToPort, reaper: controllerToReaper },
        egress: controllerToEgress,
      },
      port: { controller: portEnd, user: portUser },
      egress:
        egressEnd === null || egressUser === null
          ? null
          : { controller: egressEnd, launcher: egressUser },
      onNote: (note) => this.#options.onNote?.(note),
    });
    for (const socket of [
      fromLauncher,
      controllerEnd,
      controllerToPort,
      portEnd,
      controllerToReaper,
      reaperEnd,
      portUser,
      controllerToEgress,
      egressEnd,
      egressUser,
    ])
      socket?.destroy();

    // A reaper that is gone shows as a closed line; writing to one is no error of its own.
    toReaper.on("error", () => undefined);
    // Pairs come paused, so that nothing is read before somebody listens.
    for (const socket of [toReaper, toController, toPort]) socket.resume();
    const link = new Link(toController);
    const streams = attachBulk(toPort, { role: "opener", onClose: () => undefined });
    let finish: (finished: Finished) => void = () => undefined;
    let becomeReady: () => void = () => undefined;
    let failReady: (error: Error) => void = () => undefined;
    const ready = new Promise<void>((resolve, reject) => {
      becomeReady = resolve;
      failReady = reject;
    });
    ready.catch(() => undefined);
    const said = new Promise<Finished>((resolve) => {
      finish = resolve;
    });
    const services = this.#services(machine, prepared, nodeDigest, image, staging);
    link.serve(LAUNCHER, {
      ...services,
      phase: ({ name }) => {
        this.#options.onPhase?.(name);
        return null;
      },
      ready: () => {
        becomeReady();
        return null;
      },
      exited: () => null,
      finished: (finished) => {
        finish(finished);
        return null;
      },
    });
    const controller = link.calls(CONTROLLER);
    const finished = Promise.race([said, link.ended.then(lostTo)]).then(async (said) => {
      const end = said.ending === LOST ? await this.#lost(said) : said;
      if (said.ending !== LOST) await this.#clear();
      // A run that was refused before there was a manifest has no evidence to keep.
      if (end.verdict === null) this.#discardEvidence();
      failReady(
        new DrydockError(end.refusal?.code ?? "RUN_ENDED", end.refusal?.message ?? end.ending, {
          ...(end.refusal?.fix == null ? {} : { fix: end.refusal.fix }),
        }),
      );
      return end;
    });
    finished.catch(() => undefined);
    this.#supply(toEgress);
    this.#asked = true;
    await controller.begin(
      orderOf({
        ...{ run: slot.run, spec, terminal: this.#options.terminal ?? false },
        idempotencyKey: this.#options.idempotencyKey,
        egress: this.#options.egress?.sealed ?? null,
        trust: this.#options.egress?.trust ?? {},
        ...this.#known,
      }),
    );
    return { run: slot.run, evidence: layout.directory, controller, streams, ready, finished };
  }

  /** Hands the broker what it alone is to know. It waits for it before it begins. */
  #supply(toEgress: Socket | null): void {
    const { egress } = this.#options;
    if (toEgress === null || egress === null) return;
    toEgress.resume();
    new Link(toEgress)
      .calls(EGRESS_SUPPLIES)
      .supply(egress.supplies)
      // A broker that is gone is the controller's to notice.
      .catch(() => undefined)
      .finally(() => toEgress.destroy());
  }

  /** Something failed before the controller could take over. */
  async abandon(): Promise<void> {
    this.#helpers?.kill();
    await this.#leaveToReaper();
    if (!this.#asked) this.#discardEvidence();
  }

  #discardEvidence(): void {
    rmSync(this.#layout.directory, { recursive: true, force: true });
  }

  #services(
    machine: RunMachine,
    prepared: ReturnType<RunMachine["prepare"]>,
    nodeDigest: Promise<string>,
    image: Awaited<ReturnType<typeof resolveImage>>,
    staging: string,
  ): Omit<Handlers<typeof LAUNCHER>, "phase" | "ready" | "exited" | "finished"> {
    return {
      seal: async () => {
        const { source, program } = this.#options;
        if (source !== null) {
          // Loaded when it is needed: a run without a source doesn't wait for git's rules.
          const { sealInput } = await import("./sealing.js");
          this.#sealed = await sealInput(source, this.scratch, this.#native);
        }
        for (const note of this.#sealed?.source.notes ?? [])
          this.#options.onNote?.(describeNote(note));
        const plan = await prepared;
        const { digests } = image;
        return {
          source: this.#sealed?.source ?? null,
          canonical: this.#sealed?.canonical ?? null,
          image: {
            name: image.name,
            digest: image.digest,
            kernel: digests.kernel,
            initrd: digests.initrd,
            root: digests.root,
            agent: digests.agent,
          },
          ...sealedMachine(plan),
          helpers: helperLimits(this.#options.spec.limits),
          machine: plan.topology,
          build: {
            version: program.version,
            drydock: program.digest(),
            // The store names what it holds by digest.
            native: `sha256:${basename(this.#native)}`,
            node: { version: process.version, digest: await nodeDigest },
          },
        };
      },
      createSlot: () => {
        machine.createCgroup();
        return null;
      },
      stage: async () => {
        const bytes = await machine.createUpper();
        const archive = this.#sealed?.source.archive;
        if (archive !== undefined) await handIn(archive.path, staging, this.#slot);
        return { bytes: bytes + (archive?.bytes ?? 0) };
      },
      spawn: () => machine.spawn(),
      observe: () => {
        const { observed, differences } = machine.observe();
        return { observed, differences: [...differences, ...needed(this.#helpers).differences()] };
      },
      usage: () => machine.usage(),
      kill: () => machine.kill(),
      destroy: async ({ artifacts }) => {
        machine.release();
        rmSync(this.scratch, { recursive: true, force: true });
        const leftovers = await emptySlot(this.#slot, needed(this.#helpers).spared);
        if (artifacts === "discard") discardArtifacts(this.#layout);
        return { leftovers: leftovers.map(({ kind, what }) => `${kind} ${what}`) };
      },
      canonical: () => this.#sealed?.lookAgain() ?? { after: null, comparison: null },
    };
  }

  /** Removes what is left of the run on this machine, and gives its evidence to the user. */
  async #clear(): Promise<void> {
    this.#machine?.release();
    await this.#helpers?.controllerEnded();
    rmSync(this.scratch, { recursive: true, force: true });
    const leftovers = await destroySlot(this.#slot);
    if (existsSync(this.#layout.directory)) handOver(this.#layout.directory, 0, 0);
    // What this process can't remove stays the reaper's: its line closes without a good-bye.
    if (leftovers.length === 0) {
      this.#reaper?.write("Q\n");
      await closedSocket(this.#reaper);
    }
    for (const socket of this.#sockets) socket.destroy();
  }

  /** What there is to say of a run whose controller died: nothing, unless it had said it already. */
  async #lost(said: Finished): Promise<Finished> {
    await this.#leaveToReaper();
    const gone = readOwner(this.#slot)?.run !== this.#slot.run;
    return gone && existsSync(this.#layout.directory)
      ? lostAfterwards(said, this.#layout.directory, this.#state, new Date())
      : said;
  }

  /**
   * The controller is gone: the reaper has seen the same and takes it from here. Its line closes
   * when it is done, or dead: then this process does the same itself.
   */
  async #leaveToReaper(): Promise<void> {
    this.#machine?.release();
    // The reaper's own ends are held here as well until both lines are handed over.
    for (const socket of this.#sockets) if (socket !== this.#reaper) socket.destroy();
    await closedSocket(this.#reaper);
    this.#reaper?.destroy();
    if (readOwner(this.#slot)?.run !== this.#slot.run) return;
    rmSync(this.scratch, { recursive: true, force: true });
    const leftovers = await destroySlot(this.#slot);
    await giveUpRun(this.#state, {
      run: this.#slot.run,
      reason: "OWNER_GONE",
      bodyGone: leftovers.length === 0,
      by: "launcher",
      at: new Date(),
    });
  }
}

const needed = (helpers: Helpers | null): Helpers => {
  if (helpers === null) throw new DrydockError("INTERNAL", "the run's processes weren't started");
  return helpers;
};
