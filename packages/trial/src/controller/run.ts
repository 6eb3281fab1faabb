import type { CONTROLLER, LAUNCHER } from "../contract/index.js";
import type { LifecycleResult, Phase } from "../lifecycle/index.js";
import type { Calls, Handlers } from "../link/index.js";
import { markEvidence } from "../recovery/index.js";
import { EGRESS_SILENT } from "./ask-broker.js";
import { Commands, verbOf } from "./commands.js";
import type { CommandRequest, RunContext } from "./context.js";
import { Driver } from "./driver.js";
import { performTask } from "./perform.js";
import { readHalt } from "./tasks-birth.js";
import { checkpointAll } from "./tasks-end.js";

/** Countersigning each second bounds what a port could deny having said. */
const COUNTERSIGN_MS = 1_000;
/** What a phase may take beyond its deadline before the reaper ends it: the controller acts first. */
const REAPER_GRACE_MS = 5_000;

const PORT_GONE = "PORT_GONE";
const EGRESS_GONE = "EGRESS_GONE";
const REAPER_GONE = "REAPER_GONE";

/** One run, from the order to the verdict. */
export class Run {
  readonly #context: RunContext;
  readonly #commands: Commands;
  readonly #driver: Driver;
  readonly #phases: { name: string; began: number; ms: number }[] = [];
  readonly #stops: (() => void)[] = [];
  #disarmPhase: () => void = () => undefined;
  #denied = 0;
  #deadline = false;
  #finish: () => void = () => undefined;
  /** Resolves when everything is over and said. */
  readonly finished: Promise<void>;

  constructor(context: RunContext) {
    this.#context = context;
    this.#commands = new Commands(
      context.port,
      { destination: context.order.sourceDestination, owner: context.order.sourceOwner },
      () => context.facts.maybe("environment") ?? [],
    );
    this.finished = new Promise((resolve) => {
      this.#finish = resolve;
    });
    this.#driver = new Driver(
      context.plan,
      {
        perform: (task) => performTask(context, this.#commands, task),
        record: (event) => {
          if (event.type === "deadline.fired") this.#deadline = true;
          const receipts = context.facts.maybe("receipts");
          // A late answer to what was given up has no place left.
          if (receipts?.ended === false) receipts.record(event);
        },
        entered: (phase) => this.#entered(phase),
        ready: () => {
          this.#ready().catch(() =>
            this.#driver.dispatch({ type: "abort", reason: "LAUNCHER_GONE" }),
          );
        },
        reject: (command, code) => this.#commands.reject(command, code),
        cancelled: (command) => this.#commands.cancel(command),
        done: (result) => void this.#done(result),
      },
      context.timers,
    );
  }

  start(): void {
    this.#driver.dispatch({ type: "start" });
  }

  /** What whoever started the run may ask for. */
  handlers(): Omit<Handlers<typeof CONTROLLER>, "begin"> {
    const { port } = this.#context;
    return {
      exec: (request) => this.#command(request.exec, { verb: "exec", request }),
      put: (request) => this.#command(request.command, { verb: "put", request }),
      get: (request) => this.#command(request.command, { verb: "get", request }),
      signal: (request) => port.signal(request),
      resize: (request) => port.resize(request),
      finish: () => {
        this.#driver.dispatch({ type: "finish" });
        return null;
      },
      abort: ({ reason }) => {
        this.#driver.dispatch(reason === "HALTED" ? { type: "halt" } : { type: "abort", reason });
        return null;
      },
    } as Omit<Handlers<typeof CONTROLLER>, "begin">;
  }

  guestLost(code: string): void {
    this.#driver.dispatch({ type: "guest", what: "exited", code });
  }

  guestViolated(code: string): void {
    this.#denied += 1;
    this.#driver.dispatch({ type: "guest", what: "violation", code });
  }

  /** Without the port process nothing is heard of the guest any more. */
  portLost(): void {
    this.#context.facts.learn("lost", PORT_GONE);
    this.guestLost(PORT_GONE);
  }

  /** A guest that was promised a way out has none any more, and there is no other. */
  egressLost(): void {
    this.#context.facts.learn("lost", EGRESS_GONE);
    this.guestLost(EGRESS_GONE);
  }

  /** Nothing runs without a reaper; an end without one isn't what was promised either. */
  reaperLost(): void {
    const { facts } = this.#context;
    // All is gone, and has been said.
    if (facts.maybe("receipts")?.ended === true) return;
    facts.learn("lost", REAPER_GONE);
    this.#driver.dispatch({ type: "abort", reason: REAPER_GONE });
    this.#driver.dispatch({ type: "evidenceFailed", code: REAPER_GONE });
  }

  halt(): void {
    this.#driver.dispatch({ type: "halt" });
  }

  #command(command: string, request: CommandRequest): Promise<unknown> {
    const result = this.#commands.expect(command, request);
    this.#driver.dispatch({ type: "command", command, verb: verbOf(request) });
    return result;
  }

  async #ready(): Promise<void> {
    if (this.#context.facts.get("inputs").source !== null) {
      try {
        await this.#command("source", { verb: "source" });
      } catch {
        // The lifecycle has already taken the failure as the run's.
        return;
      }
    }
    await this.#context.launcher.ready(null);
  }

  #entered(phase: Phase): void {
    const { timers, plan, reaper, facts, launcher } = this.#context;
    const now = timers.now();
    const last = this.#phases.at(-1);
    if (last !== undefined) last.ms = now - last.began;
    this.#phases.push({ name: phase, began: now, ms: 0 });
    void launcher.phase({ name: phase }).catch(() => undefined);

    this.#disarmPhase();
    const own = phase === "DRIVE" || phase === "KILLING" ? null : plan.deadlines.phase[phase];
    if (own !== null)
      this.#disarmPhase = timers.after(own, () =>
        this.#driver.dispatch({ type: "deadline", which: "phase" }),
      );
    // Each task of an ending has the ending's deadline; there are fewer than twenty.
    const longest =
      phase === "KILLING" || phase === "DESTROY"
        ? 20 * plan.deadlines.ending
        : (own ?? plan.deadlines.wall);
    // A reaper that is gone ends the run through `lost`.
    reaper.arm(longest + REAPER_GRACE_MS).catch(() => undefined);

    if (phase === "BOOT")
      this.#stops.push(
        timers.after(plan.deadlines.wall, () =>
          this.#driver.dispatch({ type: "deadline", which: "wall" }),
        ),
      );
    if (phase === "DRIVE")
      this.#stops.push(timers.every(COUNTERSIGN_MS, () => void this.#countersign()));
    facts.maybe("receipts")?.checkpoint();
  }

  #counting = false;

  async #countersign(): Promise<void> {
    if (this.#counting || this.#driver.phase !== "DRIVE") return;
    this.#counting = true;
    try {
      // A halt of the whole machine is seen by runs of every state directory.
      if (readHalt(this.#context).halted) this.halt();
      const { lastGuestByteMs } = await checkpointAll(this.#context);
      const { idle } = this.#context.plan.deadlines;
      if (idle !== null && lastGuestByteMs > idle && this.#driver.phase === "DRIVE")
        this.#driver.dispatch({ type: "deadline", which: "idle" });
    } catch (error) {
      const { code } = error as { code?: string };
      // A port that is gone is reported by its closed link.
      if (code === EGRESS_SILENT) this.guestLost(code);
      else if (code !== "LINK_CLOSED") this.#driver.failEvidence(error);
    } finally {
      this.#counting = false;
    }
  }

  /**
   * A verdict that was signed and couldn't be entered in the ledger: the evidence has to say as much
   * as is said here.
   */
  #markDisowned(verdict: LifecycleResult["verdict"]): void {
    const { facts, layout, order, clock } = this.#context;
    const signed = facts.maybe("conclusion")?.verdict ?? verdict;
    if (signed === verdict) return;
    const at = new Date(clock.wall());
    markEvidence(layout.directory, { run: order.run, by: "controller", at });
  }

  /** A run that was refused has none; one that lost a process was begun, and is marked as such. */
  #verdictWithoutManifest(): "INCOMPLETE" | null {
    const { facts, layout, order, clock } = this.#context;
    if (facts.maybe("lost") === null) return null;
    const at = new Date(clock.wall());
    markEvidence(layout.directory, { run: order.run, by: "controller", at });
    return "INCOMPLETE";
  }

  async #done(result: LifecycleResult): Promise<void> {
    const { timers, facts, launcher } = this.#context;
    this.#disarmPhase();
    for (const stop of this.#stops) stop();
    this.#commands.rejectAll();
    const last = this.#phases.at(-1);
    if (last !== undefined) last.ms = timers.now() - last.began;
    const conclusion = facts.maybe("conclusion");
    const { ending } = result;
    this.#markDisowned(result.verdict);
    await launcher.finished({
      verdict: result.verdict ?? this.#verdictWithoutManifest(),
      ending: describeEnding(ending),
      deadline: this.#deadline,
      bodyStarted: result.bodyStarted,
      refusal: this.#driver.refusal,
      findings: (conclusion?.findings ?? []).map(({ code, file, at, message }) => ({
        code,
        message: `${file}${at === null ? "" : `, ${at}`}: ${message}`.slice(0, 4096),
      })),
      denied: this.#denied + (facts.maybe("denied") ?? 0),
      phases: this.#phases.map(({ name, ms }) => ({ name, ms })),
    } as Parameters<Calls<typeof LAUNCHER>["finished"]>[0]);
    this.#finish();
  }
}

/** Such as "completed", "deadline:wall" or "failed:TOPOLOGY_MISMATCH". */
const describeEnding = (ending: LifecycleResult["ending"]): string => {
  switch (ending.kind) {
    case "completed":
    case "halted":
      return ending.kind;
    case "deadline":
      return `${ending.kind}:${ending.which}`;
    case "failed":
    case "aborted":
    case "guestLost":
    case "violation":
      return `${ending.kind}:${ending.code}`;
  }
};
