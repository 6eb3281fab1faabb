import type { NetworkNamespace } from "../nft/index.js";
import { runInside } from "../nft/inside.js";
import type { Outcome } from "./protocol.js";

/** Two requests a third of a second apart, and two seconds for the answer. */
const PING = ["ping", "-q", "-c", "2", "-i", "0.3", "-W", "2"];

/**
 * ICMP echo, by a program, since Node has no socket for it.
 *
 * @throws DrydockError TOOL_…
 */
export const ping = async (
  namespace: NetworkNamespace,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<Outcome> => {
  const { code, stdout, stderr } = await runInside(namespace, "busybox", [...PING, "-I", from, to]);
  if (code === 0) return "reached";
  const isSent = stdout.includes("packets transmitted") || /unreachable/i.test(stderr);
  return isSent ? "silent" : "unsendable";
};
