import { createHash } from "node:crypto";
import type { Event, LogClock, SigningKey } from "@drydock/evidence";
import { BULK_CHANNEL, CONTROL_CHANNEL, type Machine, type VmEndpoints } from "@drydock/vm";
import type { BulkChannel, CloseReason } from "@drydock/wire";
import type { PORT, PORT_EVENTS } from "../contract/index.js";
import { type Calls, type Handlers, need } from "../link/index.js";
import { ProcessLog } from "../log/index.js";
import { OutputBudget } from "./budget.js";
import { ChannelBook } from "./channel-book.js";
import { argvDigest, type CommandPorts, collect, exec, get, put, signal } from "./commands.js";
import { Conversation } from "./conversation.js";
import { Doors, guestGone } from "./doors.js";
import { inTime } from "./in-time.js";
import { Ring } from "./ring.js";
import { NO_SENTRY, type Sentry } from "./sentry.js";

/** No channel of the topology: the serial console, which every machine has. */
const CONSOLE = "console";
/** Frames carry the end of the request's life; a run's wall deadline is the controller's. */
const FRAME_LIFE_NS = 24n * 3600n * 1_000_000_000n;

export interface SessionPorts {
  readonly key: SigningKey;
  readonly clock: LogClock;
  readonly entropy: (bytes: number) => Buffer;
  readonly nowMs: () => number;
  /** Streams to whoever started the run. */
  readonly user: BulkChannel;
  readonly controller: Calls<typeof PORT_EVENTS>;
  /** Takes over a VMM by its sockets. */
  readonly connect: (endpoints: VmEndpoints) => Promise<Machine>;
  readonly files: {
    readonly log: string;
    readonly checkpoints: string;
    readonly artifacts: string;
    readonly source: string;
  };
}

type Begin = ReturnType<(typeof PORT)["begin"]["params"]>;

/** Everything the port process holds of one run: it speaks with VMM and guest, and believes neither. */
export class Session {
  readonly #ports: SessionPorts;
  readonly #book: ChannelBook;
  readonly #doors: Doors;
  readonly #execs = new Map<string, string>();
  #begun: Begin | null = null;
  #log: ProcessLog | null = null;
  #machine: Machine | null = null;
  #guest: Conversation | null = null;
  #console: Ring | null = null;
  #budget: OutputBudget | null = null;
  #sentry: Sentry = NO_SENTRY;
  #lastByte: number;

  constructor(ports: SessionPorts) {
    this.#ports = ports;
    this.#lastByte = ports.nowMs();
    const record = (event: Event): void => this.#record(event);
    this.#book = new ChannelBook(record);
    this.#doors = new Doors({
      book: this.#book,
      machine: () => this.#machine,
      guest: () => this.#guest,
      record,
      heard: () => this.#heard(),
      bulkClosed: (reason) => this.#bulkClosed(reason),
    });
  }

  handlers(): Handlers<typeof PORT> {
    return {
      introduce: () => ({ spki: this.#ports.key.public.spki }),
      begin: (params) => this.#begin(params),
      connect: (params) => {
        this.#doors.refuseWhenShut();
        return this.#connect(params);
      },
      machine: () => need(this.#machine, "machine").observe(),
      grant: ({ channel }) => {
        this.#doors.refuseWhenShut();
        return this.#doors.grant(channel);
      },
      plug: ({ channel }) => {
        this.#doors.refuseWhenShut();
        return this.#doors.plug(channel);
      },
      unplug: ({ channel }) => this.#doors.unplug(channel),
      resume: async () => {
        this.#doors.refuseWhenShut();
        await need(this.#machine, "machine").resume();
        return null;
      },
      handshake: ({ upper }) => {
        this.#doors.refuseWhenShut();
        return this.#handshake(upper);
      },
      plant: async ({ path, contents, besides }) => {
        this.#doors.refuseWhenShut();
        const guest = need(this.#guest, "handshake");
        await inTime(guest.ask({ type: "plant", path, contents, besides }, "planted", path));
        return null;
      },
      exec: (request) => {
        this.#doors.refuseWhenShut();
        this.#execs.set(request.exec, argvDigest(request.argv));
        return exec(this.#commandPorts(), request);
      },
      signal: (request) => signal(this.#commandPorts(), request),
      resize: ({ exec: id, rows, cols }) => {
        need(this.#guest, "guest").tell({ type: "resize", exec: id, rows, cols });
        return null;
      },
      put: (request) => put(this.#commandPorts(), request, this.#ports.files.source),
      get: (request) => get(this.#commandPorts(), request, this.#collectLimits()),
      collect: ({ root }) =>
        collect(
          this.#commandPorts(),
          root,
          need(this.#begun, "begin").artifacts,
          this.#collectLimits(),
          this.#ports.files.artifacts,
        ),
      quiesce: () => null,
      revoke: async ({ reason }) => {
        await this.#doors.revoke(reason === "violation" ? "violation" : "host");
        return { channels: this.#book.bytes() };
      },
      checkpoint: () => this.#checkpoint(),
      quit: async () => {
        this.#doors.shut();
        await need(this.#machine, "machine").quit();
        return null;
      },
      end: ({ clean }) => this.#end(clean),
    };
  }

  #begin(params: Begin): null | Promise<null> {
    this.#begun = params;
    this.#console = new Ring(params.limits.consoleBytes);
    this.#budget = new OutputBudget(params.limits.outputBytes);
    const { key, clock, entropy, files } = this.#ports;
    this.#log = new ProcessLog(files, {
      role: "port",
      run: params.run,
      manifest: params.manifest,
      key,
      clock,
      nonce: entropy(8),
    });
    return params.canaries.length === 0 ? null : this.#watchFor(params.canaries);
  }

  async #watchFor(canaries: Begin["canaries"]): Promise<null> {
    const { createSentry } = await import("./canary-sentry.js");
    this.#sentry = createSentry(canaries, (event) => this.#record(event));
    return null;
  }

  async #connect(params: ReturnType<(typeof PORT)["connect"]["params"]>): Promise<null> {
    const endpoints: VmEndpoints = {
      adapter: params.adapter,
      monitor: params.monitor,
      console: params.console,
      channels: Object.fromEntries(params.channels.map(({ name, path }) => [name, path])),
      start: params.state === null ? { kind: "boot" } : { kind: "restore", state: params.state },
    };
    const machine = await this.#ports.connect(endpoints);
    this.#machine = machine;
    const ring = need(this.#console, "begin");
    const see = this.#sentry.watch(CONSOLE, CONSOLE);
    machine.console.on("data", (chunk: Buffer) => {
      see(chunk);
      this.#heard();
      ring.push(chunk);
    });
    // Its end is the VMM's end, which is reported below.
    machine.console.on("error", () => undefined);
    machine.onEvent((event) => {
      this.#record({
        type: "vmm.event",
        measurements: { name: event.kind, reason: event.reason.slice(0, 256) },
        retention: "operational",
      });
      this.#lost(event.kind === "closed" ? "VMM_GONE" : "GUEST_STOPPED");
    });
    await machine.start();
    return null;
  }

  /** Greets the agent: from here on this clone is no other's twin. */
  async #handshake(
    upper: string | null,
  ): Promise<ReturnType<(typeof PORT)["handshake"]["result"]>> {
    const { control } = need(this.#machine, "machine");
    // Its close was before anybody listened.
    if (control.destroyed) throw guestGone();
    const { run, lease, generation, limits } = need(this.#begun, "begin");
    const see = this.#sentry.watch(CONTROL_CHANNEL, "frames");
    control.on("data", (chunk: Buffer) => {
      see(chunk);
      this.#heard();
    });
    const guest = new Conversation(
      control,
      { run, lease, generation },
      () => String(this.#nowNs() + FRAME_LIFE_NS),
      {
        started: (id) =>
          this.#record({
            type: "exec.started",
            measurements: { exec: id, argv: this.#execs.get(id) ?? argvDigest([]) },
          }),
        ended: ({ code }) => this.#channelGone(CONTROL_CHANNEL, code),
        violated: ({ code }) => this.#violated(CONTROL_CHANNEL, code),
      },
    );
    this.#guest = guest;
    this.#book.carry(CONTROL_CHANNEL, () => guest.counters);
    const nonce = this.#ports.entropy(16).toString("hex");
    const ready = await inTime(
      guest.ask(
        {
          type: "hello",
          nonce,
          entropy: this.#ports.entropy(48).toString("base64"),
          timeNs: String(this.#nowNs()),
          limits: { pids: limits.guestPids, fds: limits.guestFds },
          mounts: { upper },
        },
        "ready",
        nonce,
      ),
    );
    const { pidsMax, fdsMax } = ready.facts;
    this.#record({ type: "guest.bounds", measurements: { pids: pidsMax, fds: fdsMax } });
    return {
      nonce: `sha256:${createHash("sha256").update(nonce).digest("hex")}`,
      pidsMax,
      fdsMax,
    };
  }

  #checkpoint(): ReturnType<(typeof PORT)["checkpoint"]["result"]> {
    return {
      head: need(this.#log, "begin").checkpoint(),
      channels: this.#book.bytes(),
      lastGuestByteMs: Math.max(0, Math.round(this.#ports.nowMs() - this.#lastByte)),
    };
  }

  #end(clean: boolean): ReturnType<(typeof PORT)["end"]["result"]> {
    this.#doors.shut();
    const log = need(this.#log, "begin");
    const ring = need(this.#console, "begin");
    for (const name of this.#book.names) this.#book.closed(name, "host");
    if (ring.dropped > 0)
      log.record({
        type: "console.cut",
        measurements: { dropped: ring.dropped, kept: ring.kept },
      });
    log.record({ type: "port.end", decision: clean ? "clean" : "failed" });
    const head = log.checkpoint();
    log.close();
    this.#log = null;
    const budget = need(this.#budget, "begin");
    return {
      head,
      channels: this.#book.bytes(),
      outputBytes: budget.kept,
      outputDropped: budget.dropped,
    };
  }

  #bulkClosed(reason: CloseReason): void {
    if (this.#doors.areShut) return;
    if (reason.kind === "violation") this.#violated(BULK_CHANNEL, reason.violation.code);
    else this.#channelGone(BULK_CHANNEL, "CHANNEL_LOST");
  }

  #channelGone(channel: string, code: string): void {
    if (this.#doors.areShut) return;
    this.#book.closed(channel, "guest");
    this.#lost(code);
  }

  #violated(channel: string, code: string): void {
    if (this.#doors.areShut) return;
    this.#book.violated(channel, code);
    this.#doors.shut();
    // The controller's own link says it if the controller is gone.
    this.#ports.controller.violation({ channel, code }).catch(() => undefined);
  }

  #lost(code: string): void {
    if (this.#doors.areShut) return;
    this.#doors.shut();
    // As above.
    this.#ports.controller.guestLost({ code }).catch(() => undefined);
  }

  #record(event: Event): void {
    this.#log?.record(event);
  }

  #heard(): void {
    this.#lastByte = this.#ports.nowMs();
  }

  #commandPorts(): CommandPorts {
    return {
      guest: need(this.#guest, "handshake"),
      bulk: need(this.#doors.bulk, "grant"),
      user: this.#ports.user,
      log: need(this.#log, "begin"),
      budget: need(this.#budget, "begin"),
      sentry: this.#sentry,
      channel: BULK_CHANNEL,
    };
  }

  #collectLimits() {
    const { limits } = need(this.#begun, "begin");
    return {
      count: limits.artifactCount,
      bytes: limits.artifactBytes,
      depth: limits.artifactDepth,
    };
  }

  #nowNs(): bigint {
    return BigInt(Date.now()) * 1_000_000n;
  }
}
