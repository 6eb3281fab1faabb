import { spawn } from "node:child_process";
import { once } from "node:events";
import { DrydockError } from "@drydock/evidence";
import type { BoundaryCode } from "../codes.js";
import { entering } from "../nft/entering.js";
import type { NetworkNamespace } from "../nft/index.js";
import { findTool } from "../nft/tool.js";

/**
 * One item for each piece of what `nft monitor` says in a namespace. It isn't read: whatever changed
 * is looked at anew, so that nobody's spelling of a rule counts.
 *
 * @throws DrydockError WATCH_SOURCE_ENDED when the program ends before the signal
 */
export async function* ruleEvents(
  namespace: NetworkNamespace,
  signal: AbortSignal,
): AsyncIterable<void> {
  const { descriptor, toolDirectories } = namespace;
  const entered = entering(namespace, "nft", ["monitor"]);
  const child = spawn(findTool("setpriv", toolDirectories), entered, {
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
