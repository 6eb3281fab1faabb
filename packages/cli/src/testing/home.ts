import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The compiled command line, started as its user would start it. */
export const PROGRAM = fileURLToPath(new URL("../main.js", import.meta.url));

/** Whoever registers what is to be done at the end: a test, or a list that a suite keeps. */
export interface Ending {
  after(fn: () => unknown): void;
}

export interface RunOptions {
  /** Fed to stdin, which is closed after it. */
  readonly input?: string | Buffer;
  readonly cwd?: string;
  /** Added to the environment; undefined takes one away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What is started instead of node: it is given node's path and the arguments. */
  readonly wrapper?: readonly string[];
  /** After this the program counts as hung, and the test fails. */
  readonly withinMs?: number;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves when stdout or stderr holds `text`; rejects when the program ends before. */
  says(text: string): Promise<void>;
}

export interface TestHome {
  readonly directory: string;
  /** TMPDIR of what is started here, so that a forgotten file shows. */
  readonly temporary: string;
  readonly env: NodeJS.ProcessEnv;
  start(args: readonly string[], options?: RunOptions): Started;
  run(args: readonly string[], options?: RunOptions): Promise<Ended>;
  /** Builds the base image into the store that all tests share, unless it is there. */
  buildBase(): Promise<void>;
}

const WITHIN_MS = 120_000;

export const testCache = (): string =>
  process.env["DRYDOCK_TEST_CACHE"] ?? join(homedir(), ".cache", "drydock-test");

/** A state directory of its own over the shared image store; gone when the test ends. */
export const testHome = (test: Ending): TestHome => {
  const base = mkdtempSync(join(tmpdir(), "drydock-cli-"));
  test.after(() => rmSync(base, { recursive: true, force: true }));
  const directory = join(base, "home");
  const temporary = join(base, "tmp");
  mkdirSync(directory);
  mkdirSync(temporary);
  mkdirSync(testCache(), { recursive: true, mode: 0o700 });
  symlinkSync(testCache(), join(directory, "cache"));
  const { PATH } = process.env;
  const env = { PATH, DRYDOCK_HOME: directory, TMPDIR: temporary, NO_COLOR: "1" };
  const start = (args: readonly string[], options: RunOptions = {}): Started =>
    startProgram(args, { ...options, env: { ...env, ...options.env } }, test);
  const run = async (args: readonly string[], options: RunOptions = {}): Promise<Ended> => {
    const started = start(args, options);
    started.child.stdin?.end(options.input);
    return started.ended;
  };
  return {
    directory,
    temporary,
    env,
    start,
    run,
    buildBase: async () => {
      const built = await run(["image", "build", "base"], { withinMs: 10 * WITHIN_MS });
      if (built.code !== 0) throw new Error(`image build base: ${built.stderr}`);
    },
  };
};

const startProgram = (args: readonly string[], options: RunOptions, test: Ending): Started => {
  const began = performance.now();
  const [command = "", ...rest] = [...(options.wrapper ?? []), process.execPath, PROGRAM, ...args];
  const child = spawn(command, rest, {
    env: { ...options.env } as NodeJS.ProcessEnv,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    stdio: ["pipe", "pipe", "pipe"],
  });
  test.after(() => child.kill("SIGKILL"));
  const said = { stdout: "", stderr: "" };
  const watchers = new Set<() => void>();
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (text: string) => {
      said[name] += text;
      for (const watch of watchers) watch();
    });
  // A program that ends early makes writing to it fail; its exit status says so.
  child.stdin.on("error", () => undefined);
  const within = options.withinMs ?? WITHIN_MS;
  let hung = false;
  const timer = setTimeout(() => {
    hung = true;
    child.kill("SIGKILL");
  }, within);
  const ended = once(child, "close").then(([code, signal]): Ended => {
    clearTimeout(timer);
    if (hung) throw new Error(`drydock ${args.join(" ")}: no end within ${within} ms`);
    return { code, signal, ...said, ms: performance.now() - began };
  });
  ended.catch(() => undefined);
  return {
    child,
    ended,
    says: (text) =>
      new Promise((resolve, reject) => {
        const watch = (): void => {
          if (!said.stdout.includes(text) && !said.stderr.includes(text)) return;
          watchers.delete(watch);
          resolve();
        };
        watchers.add(watch);
        watch();
        ended.then(
          ({ code, stderr }) =>
            reject(new Error(`ended with ${code} before it said "${text}": ${stderr}`)),
          reject,
        );
      }),
  };
};
