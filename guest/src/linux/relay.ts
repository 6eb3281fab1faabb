import type { BytePipe } from "@drydock/wire";
import { AgentError } from "../agent/errors.js";
import { Lines, startHelper } from "./helpers.js";
import { nativeMessage } from "./message.js";
import { pipeOf } from "./pipe.js";

/** A helper that lacks only the name of the port to serve. */
export interface PreparedRelay {
  connect(port: string): BytePipe;
}

/**
 * What goes out passes a pipe, from which the kernel moves pages to the port without copying;
 * what comes in passes the helper's socket.
 */
export const prepareRelay = async (native: string): Promise<PreparedRelay> => {
  const { pid, input, channel } = startHelper(native, "guest-relay");
  const lines = new Lines(channel);
  const descriptor = /^ready (\d+)$/.exec((await lines.next()) ?? "")?.[1];
  if (descriptor === undefined) throw new AgentError("spawn-failed", "the relay ended early");
  lines.release();
  const output = pipeOf(pid, descriptor, "write");
  return {
    connect(port) {
      input.write(nativeMessage([port]));
      return { input: channel, output };
    },
  };
};
