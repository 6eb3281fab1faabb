import type { Socket } from "node:net";
import { concludedVerdict } from "@drydock/evidence";
import type { LAUNCHER } from "../contract/index.js";
import { loadTrust, type StateLayout } from "../home/index.js";
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

/**
 * How a run ends whose controller died, with nothing of the run left: as it signed, if it had come so
 * far. That is what `drydock verify` says of the same directory, and what the ledger holds.
 */
export const lostAfterwards = (
  said: Finished,
  evidence: string,
  state: StateLayout,
  now: Date,
): Finished => {
  const trust = loadTrust(state.trust);
  const concluded = concludedVerdict(evidence, { trust, now: now.toISOString() });
  if (concluded === null) return said;
  const { verdict, findings } = concluded;
  return {
    ...said,
    verdict,
    // Nothing else can be signed as PASS.
    ending: verdict === "PASS" ? "completed" : said.ending,
    refusal: null,
    findings: [
      ...findings.map(({ code, message }) => ({ code, message })),
      {
        code: "CONTROLLER_GONE",
        message: "the controller died after it had signed the verdict; phases were not reported",
      },
    ],
  };
};

/** As long as the removal of a run may take. */
const REMOVAL_PATIENCE_MS = 30_000;

/** Resolves when the other end is gone, or after its patience. */
export const closedSocket = (
  socket: Socket | null,
  patienceMs = REMOVAL_PATIENCE_MS,
): Promise<void> => {
  if (socket === null || socket.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, patienceMs);
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    socket.once("close", done);
    socket.once("end", done);
    socket.resume();
  });
};
