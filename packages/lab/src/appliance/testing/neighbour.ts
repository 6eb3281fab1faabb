import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { temporaryDirectory } from "@drydock/testkit";
import { namespaceIdentity } from "../server/index.js";
import { ADMIN_KEY } from "./appliance.js";

interface Curled {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A stand-in in a namespace of its own, and programs beside it in there. */
export interface Neighbour {
  readonly ca: string;
  readonly process: ChildProcess;
  readonly stateDirectory: string;
  /** What the control channel answers. */
  command(command: Record<string, unknown>): Promise<unknown>;
  /** Runs a program where the stand-in is; input is what it reads. */
  run(program: string, args: readonly string[], input?: string): Promise<Curled>;
  /** curl that trusts the stand-in's CA, with the administrator's key; the answer's body is parsed. */
  curl(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }>;
  /** Ends it, and resolves when it is gone. */
  kill(signal: NodeJS.Signals): Promise<void>;
}

const PROGRAM = fileURLToPath(new URL("./serve.js", import.meta.url));
const DEADLINE_MS = 20_000;

export const startNeighbour = async (
  t: TestContext,
  options: { stateDirectory?: string; lockAttempts?: number; apiVersion?: string } = {},
): Promise<Neighbour> => {
  const directory = temporaryDirectory(t);
  const {
    stateDirectory = join(directory, "state"),
    lockAttempts = 2,
    apiVersion = "2.10.0",
  } = options;
  const given = { starter: namespaceIdentity(), stateDirectory, lockAttempts, apiVersion };
  const child = spawn("unshare", ["--net", process.execPath, PROGRAM, JSON.stringify(given)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  t.after(async () => {
    child.kill("SIGKILL");
    await gone;
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<Record<string, unknown>> => {
    const { value, done } = await lines.next();
    assert.ok(done !== true, "the stand-in ended");
    return JSON.parse(value) as Record<string, unknown>;
  };
  const ca = join(directory, "ca.pem");
  writeFileSync(ca, String((await next())["ca"]));
  let id = 0;

  const run: Neighbour["run"] = (program, args, input) =>
    new Promise((resolve) => {
      const ran = execFile(
        "nsenter",
        [`--net=/proc/${child.pid}/ns/net`, program, ...args],
        { timeout: DEADLINE_MS, maxBuffer: 16 << 20 },
        (error, stdout, stderr) =>
          resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }),
      );
      if (input !== undefined) ran.stdin?.end(input);
    });

  return {
    ca,
    process: child,
    stateDirectory,
    run,
    async command(command) {
      id += 1;
      child.stdin.write(`${JSON.stringify({ id, ...command })}\n`);
      const answer = await next();
      assert.equal(answer["id"], id);
      assert.ok(!("error" in answer), JSON.stringify(answer));
      return answer["ok"];
    },
    async curl(method, path, body) {
      const args = ["-sS", "--cacert", ca, "-X", method, "-H", `X-API-Key: ${ADMIN_KEY}`];
      const sent = body === undefined ? [] : ["-H", "content-type: application/json", "-d", "@-"];
      const ran = await run(
        "curl",
        [...args, ...sent, "-w", "\n%{http_code}", `https://192.0.2.10/api/v2${path}`],
        body === undefined ? undefined : JSON.stringify(body),
      );
      assert.equal(ran.code, 0, ran.stderr);
      const at = ran.stdout.lastIndexOf("\n");
      return { status: Number(ran.stdout.slice(at)), body: JSON.parse(ran.stdout.slice(0, at)) };
    },
    async kill(signal) {
      child.kill(signal);
      await gone;
    },
  };
};
