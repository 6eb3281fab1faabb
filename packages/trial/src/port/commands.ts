import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { artifactsBytes, DrydockError, digestOf, digestOfValue } from "@drydock/evidence";
import { type BulkChannel, type BulkStream, parseGlob, SIGNALS, type Signal } from "@drydock/wire";
import type { PORT } from "../contract/index.js";
import type { ProcessLog } from "../log/index.js";
import { ARTIFACT_LIMITS, collectArtifacts, openDirectoryStore } from "../quarantine/index.js";
import type { Cutter, OutputBudget } from "./budget.js";
import type { AnswerOf, Conversation } from "./conversation.js";
import type { See, Sentry } from "./sentry.js";

type Params<Name extends keyof typeof PORT> = ReturnType<(typeof PORT)[Name]["params"]>;
type Result<Name extends keyof typeof PORT> = ReturnType<(typeof PORT)[Name]["result"]>;

export interface CommandPorts {
  readonly guest: Conversation;
  /** Streams to the guest. */
  readonly bulk: BulkChannel;
  /** Streams to whoever started the run. */
  readonly user: BulkChannel;
  readonly log: ProcessLog;
  readonly budget: OutputBudget;
  readonly sentry: Sentry;
  /** Name of the channel that `bulk` is. */
  readonly channel: string;
}

/** Runs one command in the guest and carries its streams. */
export const exec = async (
  ports: CommandPorts,
  request: Params<"exec">,
): Promise<Result<"exec">> => {
  const { guest, bulk, user, log, budget, sentry, channel } = ports;
  const { streams } = request;
  // All of them first: a promise that fails while another is waited for would be nobody's.
  const [toOut, toErr, fromIn] = await Promise.all([
    user.accept(streams.stdout),
    user.accept(streams.stderr),
    streams.stdin === null ? null : user.accept(streams.stdin),
  ]);
  const [stdin, stdout, stderr] = [bulk.open(), bulk.open(), bulk.open()];
  stdout.end();
  stderr.end();
  const outputs = {
    stdout: budget.cutter(sentry.watch(channel, "stdout")),
    stderr: budget.cutter(sentry.watch(channel, "stderr")),
  };
  const carried = Promise.allSettled([
    pipeline(stdout, outputs.stdout, toOut),
    pipeline(stderr, outputs.stderr, toErr),
  ]);
  if (fromIn === null) stdin.end();
  else void carryInput(fromIn, stdin);

  let answer: AnswerOf<"execExit">;
  try {
    answer = await guest.ask(
      {
        type: "exec",
        exec: request.exec,
        argv: [...request.argv],
        env: [...request.env],
        cwd: request.cwd,
        user: request.user,
        tty: request.tty,
        stdin: stdin.id,
        stdout: stdout.id,
        stderr: stderr.id,
        killLeftovers: true,
      },
      "execExit",
      request.exec,
    );
  } catch (error) {
    for (const stream of [stdin, stdout, stderr]) stream.destroy();
    // A flood that the run's end broke off is counted as well.
    recordCuts(log, request.exec, outputs);
    throw error;
  }
  // The agent closes the streams once nobody in the guest can write to them any more.
  await carried;
  stdin.destroy();
  recordCuts(log, request.exec, outputs);
  const { status } = answer;
  log.record({
    type: "exec.exit",
    decision: status.kind === "exit" ? "exited" : "signalled",
    measurements: {
      exec: request.exec,
      status: status.kind === "exit" ? status.code : status.signal,
      stdoutBytes: outputs.stdout.kept,
      stderrBytes: outputs.stderr.kept,
    },
  });
  return {
    exit: status.kind === "exit" ? { kind: "code", code: status.code } : status,
  };
};

const recordCuts = (
  log: ProcessLog,
  exec: string,
  outputs: Readonly<Record<string, Cutter>>,
): void => {
  for (const [stream, { kept, dropped }] of Object.entries(outputs))
    if (dropped > 0)
      log.record({ type: "output.cut", measurements: { exec, stream, dropped, kept } });
};

/** A command that stops reading, or ends, is no error of the one who types. */
const carryInput = async (from: BulkStream, to: BulkStream): Promise<void> => {
  try {
    await pipeline(from, to);
  } catch {
    // The command's end is what counts; its exit status is on its way.
    from.destroy();
  }
};

export const signal = ({ guest }: CommandPorts, request: Params<"signal">): null => {
  const name = SIGNALS.find((known): known is Signal => known === request.signal);
  if (name === undefined)
    throw new DrydockError("SIGNAL_UNKNOWN", `"${request.signal}" can't be sent`, {
      fix: `Send one of ${SIGNALS.join(", ")}.`,
    });
  guest.tell({ type: "signal", exec: request.exec, signal: name, target: "group" });
  return null;
};

/** Sends an archive in, counting and digesting what really went. */
export const put = async (
  ports: CommandPorts,
  request: Params<"put">,
  sourceArchive: string,
): Promise<Result<"put">> => {
  const { guest, bulk, user, log } = ports;
  const from =
    request.stream === null ? createReadStream(sourceArchive) : await user.accept(request.stream);
  const stream = bulk.open();
  const hash = createHash("sha256");
  let bytes = 0;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  const sent = pipeline(from, count, stream);
  const done = guest.ask(
    {
      type: "put",
      stream: stream.id,
      destination: request.destination,
      owner: request.owner,
    },
    "putDone",
    String(stream.id),
  );
  const [answer] = await together(done, sent, stream);
  const archive = `sha256:${hash.digest("hex")}`;
  log.record({ type: "stage.done", decision: "verified", measurements: { archive, bytes } });
  return { files: answer.files, bytes, archive };
};

/** Brings files out to whoever asked, as the guest's tar stream. */
export const get = async (
  ports: CommandPorts,
  request: Params<"get">,
  limits: CollectLimits,
): Promise<Result<"get">> => {
  const { guest, bulk, user, budget, sentry, channel } = ports;
  const stream = bulk.open();
  stream.end();
  const cut = budget.cutter(sentry.watch(channel, "get"));
  // A reader that breaks off resets the stream: the agent then says that it couldn't send.
  const carried = pipeline(stream, cut, await user.accept(request.stream)).catch(() => undefined);
  const [answer] = await Promise.all([
    guest.ask(
      collectMessage(stream.id, request.root, request.globs, limits),
      "collectDone",
      String(stream.id),
    ),
    carried,
  ]);
  return {
    files: answer.files,
    bytes: cut.kept,
    truncated: answer.truncated || cut.dropped > 0,
  };
};

/** An answer and the stream that belongs to it: a refusal ends the stream, which may never end itself. */
const together = async <A, B>(
  answer: Promise<A>,
  carried: Promise<B>,
  stream: BulkStream,
): Promise<readonly [A, B]> => {
  try {
    return await Promise.all([answer, carried]);
  } catch (error) {
    stream.destroy();
    throw error;
  }
};

export interface CollectLimits {
  readonly count: number;
  readonly bytes: number;
  readonly depth: number;
}

const collectMessage = (
  stream: number,
  root: string,
  globs: readonly string[],
  limits: CollectLimits,
) =>
  ({
    type: "collect",
    stream,
    root,
    globs: [...globs],
    limits: {
      files: limits.count,
      bytes: limits.bytes,
      depth: limits.depth,
      pathBytes: ARTIFACT_LIMITS.pathBytes,
    },
  }) as const;

/** Collects what the manifest's globs name, through quarantine, into the run's artifacts. */
export const collect = async (
  ports: CommandPorts,
  root: string,
  globs: readonly string[],
  limits: CollectLimits,
  directory: string,
): Promise<Result<"collect">> => {
  const { guest, bulk, log, sentry, channel } = ports;
  const store = await openDirectoryStore(directory);
  try {
    if (globs.length === 0) {
      const list = artifactsBytes([]);
      await store.writeFile("artifacts.json", list);
      return { artifacts: digestOf(list), count: 0, bytes: 0, refused: 0 };
    }
    const stream = bulk.open();
    stream.end();
    const done = guest.ask(
      collectMessage(stream.id, root, globs, limits),
      "collectDone",
      String(stream.id),
    );
    // Awaited below; a guest that refuses, or is gone, may never end its stream.
    done.catch(() => stream.destroy());
    const collection = await collectArtifacts(
      // All of it: names, links and what is refused as well.
      seen(stream, sentry.watch(channel, "collect")),
      {
        limits: {
          ...ARTIFACT_LIMITS,
          files: limits.count,
          totalBytes: limits.bytes,
          depth: limits.depth,
          // Headers, padding and refused contents besides what is kept.
          streamBytes: 2 * limits.bytes + ARTIFACT_LIMITS.entries * 2048,
        },
        globs: globs.map(parseGlob),
      },
      { store, watch: { begin: (path) => sentry.watchArtifact(path) } },
    );
    if (collection.stopped !== undefined) stream.destroy();
    const leftOut = leftOutByGuest(await done);
    for (const { path, digest, bytes } of collection.files)
      log.record({ type: "artifact.accepted", measurements: { path, digest, bytes } });
    for (const { path, rule } of collection.findings)
      log.record({ type: "artifact.refused", measurements: { path, rule } });
    if (collection.stopped !== undefined)
      log.record({
        type: "artifact.refused",
        measurements: { path: "(the rest)", rule: collection.stopped },
      });
    if (leftOut !== null)
      log.record({
        type: "artifact.refused",
        measurements: { path: "(left out by the guest)", rule: leftOut },
      });
    const list = artifactsBytes(
      collection.files.map(({ path, bytes, digest }) => ({ path, bytes, digest })),
    );
    await store.writeFile("artifacts.json", list);
    return {
      artifacts: digestOf(list),
      count: collection.files.length,
      bytes: collection.bytes,
      refused:
        collection.refused +
        (collection.stopped === undefined ? 0 : 1) +
        (leftOut === null ? 0 : 1),
    };
  } finally {
    await store.close();
  }
};

const seen = async function* (stream: AsyncIterable<Uint8Array>, see: See) {
  for await (const chunk of stream) {
    see(chunk);
    yield chunk;
  }
};

/** The agent's own word on what matched and wasn't sent: too large, too deep, or no plain file. */
const leftOutByGuest = ({ skipped, truncated }: AnswerOf<"collectDone">): string | null =>
  truncated ? "GUEST_TRUNCATED" : skipped > 0 ? "GUEST_SKIPPED" : null;

/** Digest of a command's arguments, for its receipt. */
export const argvDigest = (argv: readonly string[]): string => digestOfValue([...argv]);
