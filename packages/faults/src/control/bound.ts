import { DrydockError } from "@drydock/evidence";
import { isLoopback } from "../address/loopback.js";
import type { StartCommand } from "./protocol.js";

/**
 * Guard: addresses that other machines reach, or that are other machines, are asked for by name.
 *
 * @throws DrydockError LISTEN_NOT_LOOPBACK, UPSTREAM_NOT_LOOPBACK
 */
export const requireLoopback = ({
  listen,
  upstream,
  beyondLoopback,
}: Pick<StartCommand, "listen" | "upstream" | "beyondLoopback">): void => {
  if (!beyondLoopback.listen && !isLoopback(listen.host))
    throw new DrydockError("LISTEN_NOT_LOOPBACK", `${listen.host} isn't a loopback address`, {
      fix: "Listen on 127.0.0.1, or ask for it with beyondLoopback.listen.",
    });
  if (!beyondLoopback.upstream && !isLoopback(upstream.host))
    throw new DrydockError("UPSTREAM_NOT_LOOPBACK", `${upstream.host} isn't a loopback address`, {
      fix: "Ask for it with beyondLoopback.upstream.",
    });
};
