import { mkdirSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import { DrydockError } from "@drydock/evidence";
import { addSlotOwner, ensureDirectory, type resolveImage, type Slot } from "@drydock/vm";
import { attachBulk, type BulkChannel } from "@drydock/wire";
import { CONTROLLER, EGRESS_SUPPLIES, LAUNCHER } from "../contract/index.js";
import { type RunLayout, runLayout, type StateLayout } from "../home/index.js";
import { type Calls, Link } from "../link/index.js";
import { scratchOf } from "../recovery/index.js";
import { ceilingHere } from "./ceiling.js";
import { Helpers } from "./helpers.js";
import { closeHanded, Lines } from "./lines.js";
import { type Finished, LOST, lostTo } from "./lost.js";
import type { RunMachine } from "./machine.js";
import type { LaunchOptions } from "./options.js";
import { type OrderOptions, orderOf } from "./order.js";
import { helperLimits } from "./process-group.js";
import { startReaper } from "./processes.js";
import { cachedFileDigest } from "./program.js";
import { createRunDirectory } from "./run-directory.js";
import { RunEnd } from "./run-end.js";
import { launcherServices } from "./services.js";

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

/** One run from its first process to its last, as root sees it. */
export class RunLaunch {
  readonly scratch: string;
  readonly #options: LaunchOptions;
  readonly #slot: Slot;
  readonly #state: StateLayout;
  readonly #native: string;
  readonly #known: Pick<OrderOptions, "environmentKey" | "liveRuns">;
  readonly #layout: RunLayout;
  readonly #lines: Lines;
  readonly #end: RunEnd;
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
    this.#lines = new Lines(slot.directory);
    const [layout, lines] = [this.#layout, this.#lines];
    this.#end = new RunEnd({ slot, state, layout, scratch: this.scratch, lines });
  }

  async start(
    machine: RunMachine,
    image: Awaited<ReturnType<typeof resolveImage>>,
  ): Promise<LaunchedRun> {
    const { program, spec } = this.#options;
    const slot = this.#slot;
    const end = this.#end;
    end.machine = machine;
    const { own, handed } = await this.#lines.open(this.#options.egress !== null);

    // First of all: whatever comes into being after it is removed by it.
    const reaper = await startReaper({
      native: this.#native,
      program,
      slot,
      state: this.#options.state,
      ...handed.reaper,
    });
    end.reaper = own.reaper;
    addSlotOwner(slot, { ...reaper, role: "reaper" });

    // Early: it takes the longest, and the controller asks for it only after it has started.
    const prepared = machine.prepare();
    prepared.catch(() => undefined);
    const nodeDigest = cachedFileDigest(process.execPath, join(this.#options.cache, "digests"));
    nodeDigest.catch(() => undefined);

    const layout = createRunDirectory(this.#state.runs, slot.run, slot, [
      "port",
      ...(handed.egress === null ? [] : (["egress"] as const)),
    ]);
    mkdirSync(this.scratch, { mode: 0o700 });
    const staging = join(slot.directory, "in");
    ensureDirectory(staging, 0o711);
    const helpers = await Helpers.start({
      ...{ native: this.#native, program, slot, state: this.#options.state, layout, staging },
      ceiling: JSON.stringify(ceilingHere(this.#options.state)),
      limits: helperLimits(spec.limits),
      ...{ controller: handed.controller, port: handed.port, egress: handed.egress },
      onNote: (note) => this.#options.onNote?.(note),
    });
    end.helpers = helpers;
    closeHanded(handed);

    // A reaper that is gone shows as a closed line; writing to one is no error of its own.
    own.reaper.on("error", () => undefined);
    // Pairs come paused, so that nothing is read before somebody listens.
    for (const socket of [own.reaper, own.controller, own.port]) socket.resume();
    const link = new Link(own.controller);
    const streams = attachBulk(own.port, { role: "opener", onClose: () => undefined });
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
    const services = launcherServices({
      ...{ options: this.#options, slot, native: this.#native, layout, scratch: this.scratch },
      ...{ staging, image, machine, prepared, nodeDigest, helpers },
    });
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
      const outcome = said.ending === LOST ? await end.lost(said) : said;
      if (said.ending !== LOST) await end.clear();
      // A run that was refused before there was a manifest has no evidence to keep.
      if (outcome.verdict === null) end.discardEvidence();
      failReady(endedEarly(outcome));
      return outcome;
    });
    finished.catch(() => undefined);
    this.#supply(own.egress);
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
    this.#end.helpers?.kill();
    await this.#end.leaveToReaper();
    if (!this.#asked) this.#end.discardEvidence();
  }
}

const endedEarly = ({ refusal, ending }: Finished): DrydockError =>
  new DrydockError(refusal?.code ?? "RUN_ENDED", refusal?.message ?? ending, {
    ...(refusal?.fix == null ? {} : { fix: refusal.fix }),
  });
