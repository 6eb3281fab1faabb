import type { Readable, Writable } from "node:stream";
import { DrydockError, isDrydockError } from "@drydock/evidence";
import { planFaults } from "../arming/plan.js";
import { type HttpProxy, startHttpProxy } from "../http/server.js";
import type { Timers } from "../timers.js";
import { requireLoopback } from "./bound.js";
import { readLines } from "./lines.js";
import { type Command, parseCommand, type Told } from "./protocol.js";

/**
 * The proxy's end of its control pipe. Resolves when it was told to stop, or when nobody is at the
 * other end any more: a proxy that nobody holds carries nothing.
 */
export const serveControl = async (
  input: Readable,
  output: Writable,
  timers: Timers,
): Promise<void> => {
  let proxy: HttpProxy | null = null;
  const tell = (told: Told): void => {
    if (output.writable) output.write(`${JSON.stringify(told)}\n`);
  };

  const start = async ({ id, options }: Extract<Command, { type: "start" }>): Promise<void> => {
    if (proxy !== null) throw new DrydockError("ALREADY_STARTED", "the proxy is already started");
    requireLoopback(options);
    const { mutationsForMs, ...rest } = options;
    proxy = await startHttpProxy({
      ...rest,
      mutationsUntil: mutationsForMs === null ? null : timers.now() + mutationsForMs,
      timers,
      onRecord: (record) => tell({ type: "record", record }),
    });
    tell({ type: "ready", id, ...proxy.address });
  };

  const perform = async (command: Command): Promise<void> => {
    if (command.type === "start") return await start(command);
    if (proxy === null) throw new DrydockError("NOT_STARTED", "the proxy isn't started");
    switch (command.type) {
      case "arm": {
        const { phase, nth, faults, seed } = command.arming;
        const arming = { id: command.name, phase, nth, plan: planFaults(faults, seed) };
        if (!proxy.tell({ type: "arm", arming }))
          throw new DrydockError("TOO_MANY_ARMINGS", "no room for one more arming", {
            fix: "Disarm those that didn't fire.",
          });
        break;
      }
      case "disarm":
        proxy.tell({ type: "disarm" });
        break;
      case "begin":
        proxy.tell({ type: "begin", operation: command.operation });
        break;
      case "deadline":
        proxy.tell({ type: "deadline", mutationsUntil: timers.now() + command.mutationsForMs });
        break;
      case "sync":
      case "stop":
        break;
    }
    tell({ type: "done", id: command.id });
  };

  const answer = async (command: Command): Promise<void> => {
    try {
      await perform(command);
    } catch (error) {
      if (!isDrydockError(error)) throw error;
      const { code, message, fix } = error;
      tell({ type: "failed", id: command.id, code, message, fix: fix ?? null });
    }
  };

  await new Promise<void>((resolve, reject) => {
    // One after the other, in the order in which they came.
    let last: Promise<void> = Promise.resolve();
    readLines(
      input,
      (line) => {
        last = last
          .then(async () => {
            const command = parseCommand(line);
            await answer(command);
            if (command.type === "stop") resolve();
          })
          .catch(reject);
      },
      () => reject(new DrydockError("CONTROL_MALFORMED", "a control line is too long")),
    );
    input.once("end", resolve);
    input.once("error", () => resolve());
    output.once("error", () => resolve());
  });
  await (proxy as HttpProxy | null)?.close();
};
