import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { trustEnvironment } from "../index.js";
import { type After, AUTHORITY, type Door } from "./lab.js";

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program that trusts what a guest would, and nothing of the machine's own variables. */
export const run = (
  test: After,
  door: Pick<Door, "ca">,
  command: string,
  args: readonly string[],
  input = "",
): Promise<Ran> => {
  const directory = mkdtempSync(join(tmpdir(), "drydock-client-"));
  test.after(() => rmSync(directory, { recursive: true, force: true }));
  const bundle = join(directory, "ca.pem");
  writeFileSync(bundle, door.ca.caCertificatePem);
  const child = spawn(command, args, {
    cwd: directory,
    timeout: 60_000,
    env: {
      PATH: process.env["PATH"],
      HOME: directory,
      GIT_TERMINAL_PROMPT: "0",
      ...trustEnvironment(bundle),
    },
  });
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout, stderr }));
  });
};

/** curl, with the door in the place of the authority's address. */
export const curl = (test: After, door: Door, ...args: readonly string[]): Promise<Ran> =>
  run(test, door, "curl", [
    "--silent",
    "--show-error",
    "--max-time",
    "30",
    "--connect-to",
    `${AUTHORITY.host}:443:127.0.0.1:${door.port}`,
    ...args,
  ]);
