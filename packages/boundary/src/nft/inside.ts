import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { entering } from "./entering.js";
import type { NetworkNamespace } from "./namespace.js";
import { runTool, succeeded, type Tool, type ToolExit } from "./tool.js";

/** A transaction of 5,000 rules takes under a second; a machine that is busy ten times as long. */
const DEADLINE_MS = 30_000;
const SMALL_BYTES = 1024 * 1024;

export interface InsideOptions {
  readonly input?: string;
  readonly maxBytes?: number;
}

/** Runs a program in a network namespace; what it said and how it ended is the caller's to judge. */
export const runInside = async (
  namespace: NetworkNamespace,
  tool: Tool,
  args: readonly string[],
  { input, maxBytes = SMALL_BYTES }: InsideOptions = {},
): Promise<ToolExit> => {
  const { descriptor, toolDirectories: directories } = namespace;
  const entered = entering(namespace, tool, args);
  const stdin = input === undefined ? undefined : openUnnamed(input);
  try {
    return await runTool({
      directories,
      tool: "setpriv",
      args: entered,
      ...(stdin === undefined ? {} : { stdin }),
      extra: descriptor,
      maxBytes,
      deadlineMs: DEADLINE_MS,
    });
  } finally {
    if (stdin !== undefined) closeSync(stdin);
  }
};

/** @throws DrydockError also TOOL_FAILED */
export const inside = async (
  namespace: NetworkNamespace,
  tool: Tool,
  args: readonly string[],
  options: InsideOptions = {},
): Promise<Buffer> => succeeded(tool, await runInside(namespace, tool, args, options));

/**
 * A file and not a pipe: who writes into a pipe may be killed between two tables, and nft would
 * load the first one alone. A file is whole before nft starts, so that a transaction is whole too.
 */
const openUnnamed = (text: string): number => {
  const directory = mkdtempSync(join(tmpdir(), "drydock-nft-"));
  try {
    const descriptor = openSync(join(directory, "input"), "wx+", 0o600);
    // At a position, which leaves the descriptor's own at the start, where the program reads on.
    const bytes = Buffer.from(text, "utf8");
    let written = 0;
    while (written < bytes.length) {
      written += writeSync(descriptor, bytes, written, bytes.length - written, written);
    }
    return descriptor;
  } finally {
    rmSync(directory, { recursive: true });
  }
};
