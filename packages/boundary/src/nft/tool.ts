import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { DrydockError, quote } from "@drydock/evidence";
import type { BoundaryCode } from "../codes.js";

/** Programs that are run, each with what is missing when it is, and Debian's package that has it. */
const TOOLS = {
  nft: { code: "NFT_MISSING", package: "nftables" },
  nsenter: { code: "NSENTER_MISSING", package: "util-linux" },
  unshare: { code: "UNSHARE_MISSING", package: "util-linux" },
  flock: { code: "TOOL_MISSING", package: "util-linux" },
  setpriv: { code: "TOOL_MISSING", package: "util-linux" },
  conntrack: { code: "CONNTRACK_MISSING", package: "conntrack" },
  ip: { code: "IP_MISSING", package: "iproute2" },
  ss: { code: "IP_MISSING", package: "iproute2" },
  grep: { code: "TOOL_MISSING", package: "grep" },
  tee: { code: "TOOL_MISSING", package: "coreutils" },
  cat: { code: "TOOL_MISSING", package: "coreutils" },
  bash: { code: "TOOL_MISSING", package: "bash" },
  busybox: { code: "TOOL_MISSING", package: "busybox" },
} as const satisfies Readonly<
  Record<string, { readonly code: BoundaryCode; readonly package: string }>
>;

export type Tool = keyof typeof TOOLS;

export interface ToolRun {
  readonly directories: readonly string[];
  readonly tool: Tool;
  readonly args: readonly string[];
  /** A descriptor to read from, which is a file and thus all there before the program starts. */
  readonly stdin?: number;
  /** Passed on as descriptor 3. */
  readonly extra?: number;
  readonly maxBytes: number;
  readonly deadlineMs: number;
}

export interface ToolExit {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

const MAX_STDERR_BYTES = 16 * 1024;

/** @throws DrydockError naming what is missing and how to install it */
export const findTool = (tool: Tool, directories: readonly string[]): string => {
  for (const directory of directories) {
    const path = join(directory, tool);
    if (isExecutable(path)) return path;
  }
  const { code, package: name } = TOOLS[tool];
  throw new DrydockError<BoundaryCode>(code, `${tool} isn't in ${directories.join(", ")}`, {
    fix: `sudo apt-get install --no-install-recommends ${name}`,
  });
};

/** Programs that a boundary needs and that aren't there, each with Debian's package that has it. */
export const missingTools = (
  directories: readonly string[],
): readonly { readonly tool: string; readonly package: string }[] =>
  Object.entries(TOOLS)
    .filter(([tool]) => !directories.some((directory) => isExecutable(join(directory, tool))))
    .map(([tool, { package: name }]) => ({ tool, package: name }));

/**
 * Runs one program to its end, without a shell and without an environment of its caller's.
 *
 * @throws DrydockError TOOL_DEADLINE, TOOL_FLOODED, and what `findTool` throws
 */
export const runTool = async (run: ToolRun): Promise<ToolExit> => {
  const program = findTool(run.tool, run.directories);
  const child = spawn(program, run.args, {
    env: { PATH: run.directories.join(":"), LC_ALL: "C" },
    stdio: [run.stdin ?? "ignore", "pipe", "pipe", ...(run.extra === undefined ? [] : [run.extra])],
  });
  let stopped: "TOOL_DEADLINE" | "TOOL_FLOODED" | undefined;
  const stop = (why: typeof stopped): void => {
    stopped ??= why;
    child.kill("SIGKILL");
  };
  const timer = setTimeout(stop, run.deadlineMs, "TOOL_DEADLINE");
  const stdout = collect(child.stdout, run.maxBytes, () => stop("TOOL_FLOODED"));
  const stderr = collect(child.stderr, MAX_STDERR_BYTES, () => undefined);
  const code = await new Promise<number>((resolve, reject) => {
    child.on("error", reject);
    // A program that was ended by a signal has no code, and never succeeded.
    child.on("close", (exit) => resolve(exit ?? -1));
  }).finally(() => clearTimeout(timer));
  if (stopped !== undefined) {
    throw new DrydockError<BoundaryCode>(stopped, STOPPED[stopped](run), {
      fix: "see whether the machine is overloaded, and try again",
    });
  }
  return { code, stdout: stdout(), stderr: stderr().toString("utf8") };
};

const STOPPED = {
  TOOL_DEADLINE: ({ tool, deadlineMs }: ToolRun) => `${tool} didn't end within ${deadlineMs} ms`,
  TOOL_FLOODED: ({ tool, maxBytes }: ToolRun) => `${tool} printed more than ${maxBytes} bytes`,
} as const;

/** @throws DrydockError TOOL_FAILED with the first line of what the program said */
export const succeeded = (tool: Tool, { code, stdout, stderr }: ToolExit): Buffer => {
  if (code === 0) return stdout;
  const [said = ""] = stderr.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  throw new DrydockError<BoundaryCode>(
    "TOOL_FAILED",
    `${tool} ended with ${code}: ${quote(said)}`,
    { fix: "run it as root, and see whether the kernel has what it asks for" },
  );
};

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // ENOENT or EACCES: it isn't here, which is the answer.
    return false;
  }
};

const collect = (
  stream: NodeJS.ReadableStream | null,
  limit: number,
  onFlood: () => void,
): (() => Buffer) => {
  const chunks: Buffer[] = [];
  let size = 0;
  stream?.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size <= limit) chunks.push(chunk);
    else onFlood();
  });
  return () => Buffer.concat(chunks);
};
