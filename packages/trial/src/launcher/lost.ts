import type { Socket } from "node:net";
import type { LAUNCHER } from "../contract/index.js";
import type { LinkEnd } from "../link/index.js";

/** What the controller said at the end. */
export type Finished = ReturnType<(typeof LAUNCHER)["finished"]["params"]>;

export const LOST = "failed:CONTROLLER_GONE";

/** How a run ends whose controller died: nobody could say anything. */
export const lostTo = (end: LinkEnd): Finished => ({
  verdict: "INCOMPLETE",
  ending: LOST,
  deadline: false,
  bodyStarted: true,
  refusal: {
    code: "CONTROLLER_GONE",
    message:
      end.kind === "violation"
        ? `the controller process sent nonsense (${end.detail}); the reaper has removed the run`
        : "the controller process died; the reaper has removed the run",
    fix: null,
  },
  findings: [],
  denied: 0,
  phases: [],
});

const REAPER_PATIENCE_MS = 30_000;

/** Resolves when the other end is gone, or after its patience. */
export const closedSocket = (socket: Socket | null): Promise<void> => {
  if (socket === null || socket.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, REAPER_PATIENCE_MS);
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    socket.once("close", done);
    socket.once("end", done);
    socket.resume();
  });
};
