import { randomBytes } from "node:crypto";
import { homedir } from "node:os";
import { PassThrough, Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { DrydockError } from "@drydock/evidence";
import {
  checkSourceArguments,
  effectiveEnvironment,
  type LaunchedRun,
  launchRun,
  lookAtPath,
  type Program,
  type RunSpec,
  type RunSpecInput,
  runSpecSchema,
  stateDirectories,
  WORK_DIRECTORY,
} from "@drydock/trial";
import { locateProgram } from "../program.js";
import { checkGuestPath, checkTerminal } from "./requests.js";
import type {
  Command,
  ExecOptions,
  ExecResult,
  Lab,
  LabEgress,
  LabOptions,
  LabReport,
} from "./types.js";

/** `createLab` for a checked specification: what the command line uses. */
export const createLabFor = async (
  spec: RunSpec,
  options: LabOptions & { readonly terminal?: boolean },
  program: Program = locateProgram(),
): Promise<Lab> => {
  options.signal?.throwIfAborted();
  const { state, cache } = stateDirectories(
    options.home === undefined ? process.env : { DRYDOCK_HOME: options.home },
    homedir(),
  );
  const began = performance.now();
  const source =
    spec.source === null
      ? null
      : checkSourceArguments(
          {
            source: spec.source.from,
            ...(spec.source.workingTree ? { workingTree: true } : { ref: spec.source.ref }),
          },
          lookAtPath,
        );
  const egress = options.egress === undefined ? null : await loadEgress(options.egress);
  checkNames(
    spec,
    (egress?.sealed.secrets ?? []).map(({ name }) => name),
  );
  const launched = await launchRun({
    state,
    cache,
    program,
    spec: withNetworkChannels(spec, egress === null ? 0 : 1),
    source,
    idempotencyKey: options.idempotencyKey ?? null,
    egress,
    terminal: options.terminal ?? false,
    ...(options.onPhase === undefined ? {} : { onPhase: options.onPhase }),
    ...(options.onNote === undefined ? {} : { onNote: options.onNote }),
  });
  const lab = new RunningLab(launched, began, spec.user, {
    proxied: egress !== null,
    trust: egress?.trust ?? {},
  });
  const abort = (): void => void lab.abort();
  options.signal?.addEventListener("abort", abort, { once: true });
  void lab.closed.then(() => options.signal?.removeEventListener("abort", abort));
  try {
    await launched.ready;
  } catch (error) {
    const report = await lab.closed;
    throw new LabRefused(report, error);
  }
  return lab;
};

/** Loaded when there is a way out, which most runs haven't. */
const loadEgress = async (egress: LabEgress) =>
  (await import("./sealed-egress.js")).sealedEgress(egress);

/** What the run puts into a variable of its own, the specification can't set. */
const checkNames = ({ env, canaries }: RunSpec, secrets: readonly string[]): void => {
  const twice = secrets.find((name) => name in env || canaries.includes(name));
  if (twice !== undefined)
    throw new DrydockError("SPEC_INVALID", `${twice} is a secret, and is given another value`, {
      fix: "Give each variable one value.",
    });
};

/** A channel to a broker is there with a policy, and only then. */
const withNetworkChannels = (spec: RunSpec, networkChannels: 0 | 1): RunSpec => {
  if (spec.limits.networkChannels > networkChannels)
    throw new DrydockError("SPEC_INVALID", "limits.networkChannels asks for a way out", {
      fix: "Say what may be reached, with --allow or --policy.",
    });
  return { ...spec, limits: { ...spec.limits, networkChannels } };
};

/** The lab ended before a command could run. `report` says how. */
export class LabRefused extends DrydockError {
  readonly report: LabReport;

  constructor(report: LabReport, cause: unknown) {
    const { code, message, fix } = report.refusal ?? {
      code: report.ending === "halted" ? "HALTED" : "RUN_ENDED",
      message: `the run ended before a command could start: ${report.ending}`,
      fix: null,
    };
    super(code, message, { cause, ...(fix === null ? {} : { fix }) });
    this.report = report;
  }
}

/** What `createLab` was given, as a specification of a run. @throws DrydockError SPEC_INVALID */
export const specOf = (options: LabOptions): RunSpec => {
  const input: RunSpecInput = {
    ...(options.image === undefined ? {} : { image: options.image }),
    ...(options.source === undefined ? {} : { source: options.source }),
    ...(options.limits === undefined ? {} : { limits: options.limits }),
    ...(options.artifacts === undefined ? {} : { artifacts: [...options.artifacts] }),
    ...(options.canaries === undefined ? {} : { canaries: [...options.canaries] }),
    ...(options.snapshot === undefined ? {} : { snapshot: options.snapshot }),
  };
  return parseSpec(input);
};

/**
 * @param nameOf what the user calls a place such as `limits.memory`.
 * @throws DrydockError SPEC_INVALID
 */
export const parseSpec = (
  input: RunSpecInput,
  nameOf: (place: string) => string = (place) => place,
): RunSpec => {
  const parsed = runSpecSchema.safeParse(input);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  // Zod says of a bad key only that it is one; why is inside.
  const { message } = (issue?.code === "invalid_key" ? issue.issues[0] : issue) ?? {};
  const place = issue?.path.join(".") ?? "";
  throw new DrydockError(
    "SPEC_INVALID",
    `${place === "" ? "the run" : nameOf(place)} ${message ?? "isn't valid"}`,
    { fix: "See `drydock run --help` for what each option takes." },
  );
};

interface User {
  readonly uid: number;
  readonly gid: number;
}

/** What decides, besides what it is given, the environment of a command. */
interface Surroundings {
  readonly proxied: boolean;
  readonly trust: Readonly<Record<string, string>>;
}

class RunningLab implements Lab {
  readonly run: string;
  readonly evidence: string;
  readonly closed: Promise<LabReport>;
  readonly #launched: LaunchedRun;
  readonly #user: User;
  readonly #surroundings: Surroundings;
  #next = 0;
  #closing = false;

  constructor(launched: LaunchedRun, began: number, user: User, surroundings: Surroundings) {
    this.#launched = launched;
    this.#user = user;
    this.#surroundings = surroundings;
    this.run = launched.run;
    this.evidence = launched.evidence;
    this.closed = launched.finished.then((finished) => ({
      run: launched.run,
      evidence: launched.evidence,
      ...finished,
      phases: Object.fromEntries(finished.phases.map(({ name, ms }) => [name, ms])),
      durationMs: Math.round(performance.now() - began),
    }));
  }

  async exec(argv: readonly string[], options: ExecOptions = {}): Promise<ExecResult> {
    return (await this.start(argv, options)).result;
  }

  async start(argv: readonly string[], options: ExecOptions = {}): Promise<Command> {
    const { streams, controller } = this.#launched;
    const { cwd, user } = parseSpec({
      command: [...argv],
      env: { ...options.env },
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      ...(options.user === undefined ? {} : { user: options.user }),
    });
    if (options.tty !== undefined) checkTerminal(options.tty);
    const exec = this.#id("exec");
    const [stdout, stderr] = [streams.open(), streams.open()];
    stdout.end();
    stderr.end();
    const stdin = options.stdin === undefined ? null : streams.open();
    if (stdin !== null && options.stdin !== undefined)
      // A command that stops reading is no error of the one who writes.
      pipeline(toReadable(options.stdin), stdin).catch(() => stdin.destroy());
    const outputs = Promise.all([
      collectOutput(stdout, options.stdout),
      collectOutput(stderr, options.stderr),
    ]);
    const env = effectiveEnvironment(options.env, this.#surroundings);
    const ended = controller.exec({
      exec,
      argv: [...argv],
      env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
      cwd: cwd ?? WORK_DIRECTORY,
      user: options.user === undefined ? this.#user : user,
      tty: options.tty ?? null,
      streams: { stdin: stdin?.id ?? null, stdout: stdout.id, stderr: stderr.id },
    });
    const kill = async (signal = "SIGKILL"): Promise<void> => {
      await controller.signal({ exec, signal });
    };
    const abort = (): void => void kill().catch(() => undefined);
    options.signal?.addEventListener("abort", abort, { once: true });
    const result = ended
      .then(async ({ exit }) => {
        const [out, err] = await outputs;
        return { exit, stdout: out, stderr: err };
      })
      .catch((error: unknown) => {
        stdout.destroy();
        stderr.destroy();
        throw error;
      })
      .finally(() => options.signal?.removeEventListener("abort", abort));
    outputs.catch(() => undefined);
    result.catch(() => undefined);
    return {
      result,
      kill,
      resize: async (rows, cols) => {
        checkTerminal({ rows, cols });
        await controller.resize({ exec, rows, cols });
      },
    };
  }

  async writeFile(path: string, contents: string | Uint8Array): Promise<void> {
    checkGuestPath(path);
    const { placeOf, sendFile } = await archiving();
    const stream = this.#launched.streams.open();
    const sent = sendFile(path, contents, stream);
    // What the controller answers says why; that the stream broke is only how it showed.
    sent.catch(() => undefined);
    await this.#launched.controller.put({
      command: this.#id("put"),
      stream: stream.id,
      destination: placeOf(path).root,
      owner: this.#user,
    });
    await sent;
  }

  async readFile(path: string): Promise<Buffer> {
    checkGuestPath(path);
    const { placeOf, receiveFile } = await archiving();
    const stream = this.#launched.streams.open();
    stream.end();
    const received = receiveFile(path, stream);
    // As above.
    received.catch(() => undefined);
    const { root, glob } = placeOf(path);
    const { truncated } = await this.#launched.controller.get({
      command: this.#id("get"),
      root,
      globs: [glob],
      stream: stream.id,
    });
    if (truncated)
      throw new DrydockError(
        "FILE_TOO_LARGE",
        `${path} doesn't fit into what the lab may put out`,
        {
          fix: "Raise `limits.output`, or collect it as an artifact.",
        },
      );
    return received;
  }

  async close(): Promise<LabReport> {
    if (!this.#closing) {
      this.#closing = true;
      // A controller that is gone has ended the run already; `closed` says how.
      await this.#launched.controller.finish(null).catch(() => undefined);
    }
    return this.closed;
  }

  async abort(): Promise<LabReport> {
    this.#closing = true;
    // As above.
    await this.#launched.controller.abort({ reason: "INTERRUPTED" }).catch(() => undefined);
    return this.closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #id(kind: string): string {
    this.#next += 1;
    return `${kind}-${this.#next}-${randomBytes(3).toString("hex")}`;
  }
}

/** What came, or "" when it went to a stream of the caller's. */
const collectOutput = async (from: Readable, to: Writable | undefined): Promise<string> => {
  if (to !== undefined) {
    // The owner of a stream that breaks hears of it from the stream; the command gets SIGPIPE.
    await pipeline(from, new PassThrough(), to, { end: false }).catch(() => undefined);
    return "";
  }
  const chunks: Buffer[] = [];
  for await (const chunk of from) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
};

const toReadable = (input: Readable | string | Uint8Array): Readable =>
  input instanceof Readable ? input : Readable.from([Buffer.from(input)]);

/** Loaded when a file is moved: `drydock run` moves none. */
const archiving = (): Promise<typeof import("./files.js")> => import("./files.js");
