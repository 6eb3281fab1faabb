import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const DRYDOCK = fileURLToPath(new URL("../../../cli/dist/main.js", import.meta.url));

/** A state directory of its own over the image store that all tests share. */
export interface TestState {
  readonly directory: string;
  /** TMPDIR of what is started here, so that a forgotten file shows. */
  readonly temporary: string;
  readonly environment: NodeJS.ProcessEnv;
}

interface Ending {
  after(fn: () => unknown): void;
}

export const testCache = (): string =>
  process.env["DRYDOCK_TEST_CACHE"] ?? join(homedir(), ".cache", "drydock-test");

export const testState = (test: Ending): TestState => {
  const base = mkdtempSync(join(tmpdir(), "drydock-kill-"));
  test.after(() => rmSync(base, { recursive: true, force: true }));
  const directory = join(base, "home");
  const temporary = join(base, "tmp");
  mkdirSync(directory);
  mkdirSync(temporary);
  mkdirSync(testCache(), { recursive: true, mode: 0o700 });
  symlinkSync(testCache(), join(directory, "cache"));
  const { PATH, LANG } = process.env;
  return {
    directory,
    temporary,
    environment: { PATH, LANG, DRYDOCK_HOME: directory, TMPDIR: temporary },
  };
};

export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves when stdout or stderr contains `text`; rejects when the program ends before. */
  says(text: string): Promise<void>;
}

/** `drydock …`, running. Killed with the test, should it still live. */
export const startDrydock = (
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  test: Ending,
  descriptors: readonly number[] = [],
): Running => {
  const child = spawn(process.execPath, [DRYDOCK, ...args], {
    env: environment,
    stdio: ["pipe", "pipe", "pipe", ...descriptors],
  });
  test.after(() => child.kill("SIGKILL"));
  const texts = { stdout: "", stderr: "" };
  const watchers = new Set<() => void>();
  for (const name of ["stdout", "stderr"] as const)
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      texts[name] += text;
      for (const watch of watchers) watch();
    });
  // A command that ends early makes writing to it fail; its exit status says so.
  child.stdin?.on("error", () => undefined);
  const ended = once(child, "close").then(
    ([code, signal]) => ({ code, signal, ...texts }) as Ended,
  );
  return {
    child,
    ended,
    says: (text) =>
      new Promise((resolve, reject) => {
        const watch = (): void => {
          if (!texts.stdout.includes(text) && !texts.stderr.includes(text)) return;
          watchers.delete(watch);
          resolve();
        };
        watchers.add(watch);
        watch();
        void ended.then(({ code, stdout, stderr }) =>
          reject(new Error(`ended with ${code} before it said "${text}": ${stdout}${stderr}`)),
        );
      }),
  };
};

export const drydock = (
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  test: Ending,
): Promise<Ended> => {
  const running = startDrydock(args, environment, test);
  running.child.stdin?.end();
  return running.ended;
};

/** For a test that enters a network of its own: packages can be had only outside. */
export const buildBaseImage = async (): Promise<void> => {
  const endings: (() => unknown)[] = [];
  const test = { after: (ending: () => unknown) => endings.push(ending) };
  const { environment } = testState(test);
  const { code, stderr } = await drydock(["image", "build", "base"], environment, test);
  for (const ending of endings.reverse()) await ending();
  if (code !== 0) throw new Error(`image build base: ${stderr}`);
};
