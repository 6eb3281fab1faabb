import { createHash } from "node:crypto";
import { DrydockError, type Event, type LogClock, type SigningKey } from "@drydock/evidence";
import type { Machine, VmEndpoints } from "@drydock/vm";
import { attachBulk, type BulkChannel, type CloseReason, type Counters } from "@drydock/wire";
import type { ChannelBytes, PORT, PORT_EVENTS } from "../contract/index.js";
import type { Calls, Handlers } from "../link/index.js";
import { ProcessLog } from "../log/index.js";
import { OutputBudget } from "./budget.js";
import { argvDigest, type CommandPorts, collect, exec, get, put, signal } from "./commands.js";
import { Conversation } from "./conversation.js";
import { Ring } from "./ring.js";
import { NO_SENTRY, type Sentry } from "./sentry.js";

const CONTROL = "drydock.control.0";
const BULK = "drydock.bulk.0";
/** No channel of the topology: the serial console, which every machine has. */
const CONSOLE = "console";
/** A guest that answers neither a greeting nor a grant within this is lost. */
const ANSWER_PATIENCE_MS = 60_000;
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
  readonly #channels = new Map<string, () => Counters>();
  readonly #closed = new Set<string>();
  /** Channels that the guest has and whose host end is another process's. */
  readonly #plugged = new Set<string>();
  readonly #execs = new Map<string, string>();
  #begun: Begin | null = null;
  #log: ProcessLog | null = null;
  #machine: Machine | null = null;
  #guest: Conversation | null = null;
  #bulk: BulkChannel | null = null;
  #console: Ring | null = null;
  #budget: OutputBudget | null = null;
  #sentry: Sentry = NO_SENTRY;
  #lastByte: number;
  #ending = false;

  constructor(ports: SessionPorts) {
    this.#ports = ports;
    this.#lastByte = ports.nowMs();
  }

  handlers(): Handlers<typeof PORT> {
    return {
      introduce: () => ({ spki: this.#ports.key.public.spki }),
      begin: (params) => this.#begin(params),
      connect: (params) => {
        this.#refuseAfterEnd();
        return this.#connect(params);
      },
      machine: () => need(this.#machine, "machine").observe(),
      grant: ({ channel }) => {
        this.#refuseAfterEnd();
        return this.#grant(channel);
      },
      plug: ({ channel }) => {
        this.#refuseAfterEnd();
        return this.#plug(channel);
      },
      unplug: ({ channel }) => this.#unplug(channel),
      resume: async () => {
        this.#refuseAfterEnd();
        await need(this.#machine, "machine").resume();
        return null;
      },
      handshake: ({ upper }) => {
        this.#refuseAfterEnd();
        return this.#handshake(upper);
      },
      plant: async ({ path, contents, besides }) => {
        this.#refuseAfterEnd();
        const guest = need(this.#guest, "handshake");
        await this.#inTime(guest.ask({ type: "plant", path, contents, besides }, "planted", path));
        return null;
      },
      exec: (request) => {
        this.#refuseAfterEnd();
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
      revoke: ({ reason }) => this.#revoke(reason),
      checkpoint: () => this.#checkpoint(),
      quit: async () => {
        this.#ending = true;
        await need(this.#machine, "machine").quit();
        return null;
      },
      end: ({ clean }) => this.#end(clean),
    };
  }

  /** The guest is gone or the doors are shut: a request that comes late opens none of them again. */
  #refuseAfterEnd(): void {
    if (this.#ending) throw guestGone();
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
      this.#lastByte = this.#ports.nowMs();
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

  async #grant(channel: string): Promise<null> {
    const machine = need(this.#machine, "machine");
    if (channel === CONTROL) {
      this.#open(CONTROL);
      return null;
    }
    if (channel !== BULK)
      throw new DrydockError("CHANNEL_UNKNOWN", `nobody here speaks on ${channel}`);
    const stream = await machine.grant(channel);
    if (this.#ending) {
      // The doors were shut while this one was being made.
      await machine.revoke(channel);
      throw guestGone();
    }
    stream.on("data", () => {
      this.#lastByte = this.#ports.nowMs();
    });
    const bulk = attachBulk(stream, {
      role: "opener",
      onClose: (reason) => this.#channelClosed(BULK, reason),
    });
    this.#bulk = bulk;
    this.#channels.set(BULK, () => bulk.counters);
    this.#open(BULK);
    const guest = need(this.#guest, "handshake");
    await this.#inTime(guest.ask({ type: "channel", name: BULK }, "channelOpen", BULK));
    return null;
  }

  async #plug(channel: string): Promise<null> {
    this.#plugged.add(channel);
    await need(this.#machine, "machine").plug(channel);
    if (this.#ending) {
      // As with a grant.
      await this.#unplug(channel);
      throw guestGone();
    }
    this.#record({ type: "channel.plugged", measurements: { channel } });
    const guest = need(this.#guest, "handshake");
    await this.#inTime(guest.ask({ type: "channel", name: channel }, "channelOpen", channel));
    return null;
  }

  async #unplug(channel: string): Promise<null> {
    if (this.#plugged.delete(channel)) await this.#takeAway(channel);
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
    const see = this.#sentry.watch(CONTROL, "frames");
    control.on("data", (chunk: Buffer) => {
      see(chunk);
      this.#lastByte = this.#ports.nowMs();
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
        ended: ({ code }) => this.#channelGone(CONTROL, code),
        violated: ({ code }) => this.#violated(CONTROL, code),
      },
    );
    this.#guest = guest;
    this.#channels.set(CONTROL, () => guest.counters);
    const nonce = this.#ports.entropy(16).toString("hex");
    const ready = await this.#inTime(
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

  /** Shuts the doors: after this no byte passes either way, whatever the guest does. */
  async #revoke(reason: string): Promise<{ channels: readonly ChannelBytes[] }> {
    this.#ending = true;
    this.#guest?.hangUp();
    // All at once: the first thing that each does is to cut its bytes off.
    await Promise.all([
      ...[...this.#plugged].map((name) => this.#unplug(name)),
      ...[...this.#channels.keys()].map(async (name) => {
        await this.#takeAway(name);
        this.#recordClosed(name, reason === "violation" ? "violation" : "host");
      }),
    ]);
    return { channels: this.#bytes() };
  }

  async #takeAway(channel: string): Promise<void> {
    await this.#machine?.revoke(channel).catch((error: unknown) => {
      // A VMM that is gone has no doors; anything else must be known.
      if ((error as { code?: string }).code !== "QMP_CLOSED") throw error;
    });
  }

  #checkpoint(): ReturnType<(typeof PORT)["checkpoint"]["result"]> {
    return {
      head: need(this.#log, "begin").checkpoint(),
      channels: this.#bytes(),
      lastGuestByteMs: Math.max(0, Math.round(this.#ports.nowMs() - this.#lastByte)),
    };
  }

  #end(clean: boolean): ReturnType<(typeof PORT)["end"]["result"]> {
    this.#ending = true;
    const log = need(this.#log, "begin");
    const ring = need(this.#console, "begin");
    for (const name of this.#channels.keys()) this.#recordClosed(name, "host");
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
      channels: this.#bytes(),
      outputBytes: budget.kept,
      outputDropped: budget.dropped,
    };
  }

  #open(channel: string): void {
    this.#record({ type: "channel.open", measurements: { channel } });
  }

  #recordClosed(channel: string, by: "host" | "guest" | "violation"): void {
    if (this.#closed.has(channel)) return;
    this.#closed.add(channel);
    const { toGuest, fromGuest } = this.#bytesOf(channel);
    this.#record({
      type: "channel.closed",
      decision: by,
      measurements: { channel, toGuest, fromGuest },
    });
  }

  #channelClosed(channel: string, reason: CloseReason): void {
    if (this.#ending) return;
    if (reason.kind === "violation") this.#violated(channel, reason.violation.code);
    else this.#channelGone(channel, "CHANNEL_LOST");
  }

  #channelGone(channel: string, code: string): void {
    if (this.#ending) return;
    this.#recordClosed(channel, "guest");
    this.#lost(code);
  }

  #violated(channel: string, code: string): void {
    if (this.#ending) return;
    this.#record({
      type: "channel.violation",
      decision: "closed",
      measurements: { channel, rule: code, offset: this.#bytesOf(channel).fromGuest },
    });
    this.#recordClosed(channel, "violation");
    this.#ending = true;
    // The controller's own link says it if the controller is gone.
    this.#ports.controller.violation({ channel, code }).catch(() => undefined);
  }

  #lost(code: string): void {
    if (this.#ending) return;
    this.#ending = true;
    // As above.
    this.#ports.controller.guestLost({ code }).catch(() => undefined);
  }

  #record(event: Event): void {
    this.#log?.record(event);
  }

  #bytes(): readonly ChannelBytes[] {
    return [...this.#channels.keys()].map((name) => this.#bytesOf(name));
  }

  #bytesOf(channel: string): ChannelBytes {
    const counters = this.#channels.get(channel)?.();
    return { channel, toGuest: counters?.bytesOut ?? 0, fromGuest: counters?.bytesIn ?? 0 };
  }

  #commandPorts(): CommandPorts {
    return {
      guest: need(this.#guest, "handshake"),
      bulk: need(this.#bulk, "grant"),
      user: this.#ports.user,
      log: need(this.#log, "begin"),
      budget: need(this.#budget, "begin"),
      sentry: this.#sentry,
      channel: BULK,
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

  async #inTime<T>(answer: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(
        () => reject(new DrydockError("GUEST_SILENT", "the guest's agent doesn't answer")),
        ANSWER_PATIENCE_MS,
      );
    });
    try {
      return await Promise.race([answer, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

const guestGone = (): DrydockError =>
  new DrydockError("GUEST_GONE", "the guest is gone, or its doors are shut");

const need = <T>(value: T | null, before: string): T => {
  if (value === null) throw new DrydockError("INTERNAL", `${before} comes first`);
  return value;
};
