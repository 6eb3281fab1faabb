import { spawn } from "node:child_process";
import { once } from "node:events";
import { DrydockError } from "@drydock/evidence";
import type { BoundaryCode } from "../codes.js";
import type { NetworkNamespace } from "../nft/index.js";
import { findTool } from "../nft/tool.js";

/**
 * One item for each piece of what `nft monitor` says in a namespace. It isn't read: whatever changed
 * is looked at anew, so that nobody's spelling of a rule counts.
 *
 * @throws DrydockError WATCH_SOURCE_ENDED when the program ends before the signal
 */
export async function* ruleEvents(
  { descriptor, toolDirectories }: NetworkNamespace,
  signal: AbortSignal,
): AsyncIterable<void> {
  const nft = findTool("nft", toolDirectories);
  const nsenter = findTool("nsenter", toolDirectories);
  // It waits for rules and reads nothing: without the signal a watch that is killed leaves it behind.
  const setpriv = findTool("setpriv", toolDirectories);
  const dying = ["--pdeathsig", "KILL", "--"];
  const entering = [nsenter, "--net=/proc/self/fd/3", "--"];
  const child = spawn(setpriv, [...dying, ...entering, nft, "monitor"], {
    env: { LC_ALL: "C" },
    stdio: ["ignore", "pipe", "ignore", descriptor],
  });
  const ended = once(child, "close").catch((error: unknown) => error);
  const stop = () => child.kill("SIGKILL");
  signal.addEventListener("abort", stop, { once: true });
  try {
    if (child.stdout !== null) for await (const _said of child.stdout) yield;
  } finally {
    signal.removeEventListener("abort", stop);
    stop();
    await ended;
  }
  if (signal.aborted) return;
  throw new DrydockError<BoundaryCode>("WATCH_SOURCE_ENDED", "nft's monitor ended", {
    fix: "Apply the boundary again, and watch it again.",
  });
}
