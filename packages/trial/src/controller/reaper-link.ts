import type { Duplex } from "node:stream";
import { DrydockError } from "@drydock/evidence";

/**
 * The controller's line to the reaper. Whatever closes this line without `quit` makes the reaper
 * kill the run, so there is nothing to renew and nothing to forget.
 */
export interface ReaperLink {
  /** The run has to reach its next deadline within `ms` from now. */
  arm(ms: number): Promise<void>;
  /** The run is over and nothing of it is left. */
  quit(): Promise<void>;
  readonly lost: Promise<void>;
}

/** One `D <ms>` or `Q` a line; the reaper answers each with `ok`. */
export const reaperLink = (stream: Duplex): ReaperLink => {
  const waiting: { resolve(): void; reject(error: Error): void }[] = [];
  let text = "";
  let gone = false;
  let quitting = false;
  let markLost: () => void = () => undefined;
  const lost = new Promise<void>((resolve) => {
    markLost = resolve;
  });
  const error = (): DrydockError =>
    new DrydockError("REAPER_LOST", "the reaper process is gone", {
      fix: "Run it again; nothing runs without a reaper.",
    });
  const end = (): void => {
    if (gone) return;
    gone = true;
    for (const call of waiting.splice(0)) {
      if (quitting) call.resolve();
      else call.reject(error());
    }
    if (!quitting) markLost();
  };
  stream.on("data", (chunk: Buffer) => {
    text += chunk.toString("latin1");
    while (text.startsWith("ok\n")) {
      text = text.slice(3);
      waiting.shift()?.resolve();
    }
    if (text.length > 3) stream.destroy();
  });
  stream.on("end", end);
  stream.on("close", end);
  stream.on("error", end);
  const send = (line: string): Promise<void> =>
    gone
      ? Promise.reject(error())
      : new Promise((resolve, reject) => {
          waiting.push({ resolve, reject });
          stream.write(line);
        });
  return {
    arm: (ms) => send(`D ${Math.ceil(ms)}\n`),
    quit: () => {
      quitting = true;
      return send("Q\n");
    },
    lost,
  };
};
