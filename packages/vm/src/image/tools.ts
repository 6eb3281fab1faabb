import { spawn } from "node:child_process";
import { realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { imageError } from "./errors.js";

/** Each host tool that a build may call, with the Debian package that has it. */
const PACKAGE_OF_TOOL = {
  "apt-get": "apt",
  "apt-cache": "apt",
  "dpkg-deb": "dpkg",
  mke2fs: "e2fsprogs",
  cc: "gcc libc6-dev",
} as const;

export type Tool = keyof typeof PACKAGE_OF_TOOL;

export interface Tools {
  /** Runs a tool to its end and gives its standard output; `IMAGE_TOOL_*` when that fails. */
  readonly run: (tool: Tool, argv: readonly string[], options?: RunOptions) => Promise<string>;
  /** Runs a tool and hands its standard output over piece by piece; a slow reader slows the tool. */
  readonly stream: (tool: Tool, argv: readonly string[]) => AsyncIterable<Buffer>;
  /** Text that changes when the tool's file does; undefined when it is not installed. */
  readonly identify: (tool: Tool) => string | undefined;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const STDERR_LIMIT_BYTES = 8 * 1024;
/** The description of every package in Debian's main archive is about 60 MiB. */
const STDOUT_LIMIT_BYTES = 128 * 1024 * 1024;

/**
 * Tools from the system's own directories, with an environment built from nothing, so that no
 * variable of the caller (APT_CONFIG, CPATH, LD_PRELOAD…) becomes an input that is not recorded.
 */
export const systemTools = (path = "/usr/sbin:/usr/bin:/sbin:/bin"): Tools => ({
  run: async (tool, argv, options) => {
    const pieces: Buffer[] = [];
    let size = 0;
    for await (const piece of output(path, tool, argv, options)) {
      size += piece.length;
      if (size > STDOUT_LIMIT_BYTES) {
        throw imageError("IMAGE_BOUND", `${tool} wrote more than ${STDOUT_LIMIT_BYTES} bytes`);
      }
      pieces.push(piece);
    }
    return Buffer.concat(pieces).toString("utf8");
  },
  stream: (tool, argv) => output(path, tool, argv),
  identify: (tool) => {
    for (const folder of path.split(":")) {
      const found = statSync(join(folder, tool), { throwIfNoEntry: false, bigint: true });
      if (found?.isFile() !== true) continue;
      return [realpathSync(join(folder, tool)), found.ino, found.size, found.mtimeNs].join(" ");
    }
    return undefined;
  },
});

const output = async function* (
  path: string,
  tool: Tool,
  argv: readonly string[],
  options: RunOptions = {},
): AsyncGenerator<Buffer> {
  const child = spawn(tool, [...argv], {
    stdio: ["ignore", "pipe", "pipe"],
    cwd: options.cwd ?? "/",
    env: { PATH: path, LC_ALL: "C", DEBIAN_FRONTEND: "noninteractive", ...options.env },
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr = (stderr + text).slice(-STDERR_LIMIT_BYTES);
  });
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ code, signal }));
  });
  // The rejection is awaited below; without this a missing tool would count as unhandled first.
  ended.catch(() => undefined);
  try {
    for await (const piece of child.stdout) yield piece as Buffer;
    const { code, signal } = await ended;
    if (code === 0) return;
    throw imageError(
      "IMAGE_TOOL_FAILED",
      `${tool} ${argv.join(" ")} ended with ${signal ?? `status ${code}`}: ${stderr.trim()}`,
    );
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw cause;
    throw imageError("IMAGE_TOOL_MISSING", `${tool} is not installed`, {
      fix: `apt-get install ${PACKAGE_OF_TOOL[tool]}`,
      cause,
    });
  } finally {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
  }
};
