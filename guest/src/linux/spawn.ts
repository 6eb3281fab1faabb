import { writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { AgentError } from "../agent/errors.js";
import type { Exec, ExitStatus, Running } from "../agent/platform.js";
import { type Helper, Lines, startHelper } from "./helpers.js";
import { type CommandPlace, execMessage, signalNumber } from "./message.js";
import { pipeOf } from "./pipe.js";

/** A helper with its pipes open, which lacks only the command. */
export interface Prepared {
  readonly helper: Helper;
  readonly lines: Lines;
  readonly stdin: Socket;
  readonly stdout: Socket;
  readonly stderr: Socket;
}

/**
 * Starts a helper and opens its pipes through /proc, so that commands get pipes, not sockets.
 *
 * @param cgroup where the command will run: then its process has been started as well, and waits
 *   there.
 */
export const prepareSpawn = async (native: string, cgroup?: string): Promise<Prepared> => {
  const helper = startHelper(native, "guest-spawn", ...(cgroup === undefined ? [] : [cgroup]));
  const lines = new Lines(helper.channel);
  const ready = /^ready (\d+) (\d+) (\d+)$/.exec((await lines.next()) ?? "");
  if (ready === null) throw new AgentError("spawn-failed", "the helper ended early");
  const [, input, output, error] = ready;
  return {
    helper,
    lines,
    stdin: pipeOf(helper.pid, input, "write"),
    stdout: pipeOf(helper.pid, output, "read"),
    stderr: pipeOf(helper.pid, error, "read"),
  };
};

/** Runs one command in a prepared helper. @throws AgentError spawn-failed */
export const runPrepared = async (
  { helper, lines, stdin, stdout, stderr }: Prepared,
  exec: Exec,
  place: CommandPlace,
): Promise<Running> => {
  helper.channel.write(execMessage(exec, place));
  const first = (await lines.next()) ?? "error helper: ended";
  const pid = /^pid (\d+)$/.exec(first)?.[1];
  if (pid === undefined) throw new AgentError("spawn-failed", first.slice(0, 256));
  return {
    pid: Number(pid),
    stdin,
    stdout,
    stderr,
    exit: exitOf(lines),
    signal(signal, target) {
      if (target !== "all") helper.channel.write(`signal ${signalNumber(signal)} ${target}\n`);
      else if (place.cgroup !== "") writeFileSync(`${place.cgroup}/cgroup.kill`, "1");
    },
    resize(rows, columns) {
      helper.channel.write(`resize ${rows} ${columns}\n`);
    },
  };
};

const exitOf = async (lines: Lines): Promise<ExitStatus> => {
  const line = (await lines.next()) ?? "";
  const [, kind, value] = /^(exit|signal) (\d+)$/.exec(line) ?? [];
  if (kind === "exit") return { kind, code: Number(value) };
  if (kind === "signal") return { kind, signal: Number(value) };
  throw new AgentError("spawn-failed", "the helper was killed");
};
