import type { Reason } from "../decision/index.js";
import { type Admission, admitRequest, type RequestHead } from "./admit.js";
import type { TerminateOptions } from "./model.js";
import { type Refusal, refusal } from "./refusal.js";

/** What the two protocols' servers share of one tunnel: its decisions, counts and end. */
export interface Tunnel {
  readonly options: TerminateOptions;
  readonly counts: { admitted: number; refused: number };
  /** Decides about a request head and says so; a canary in it ends the tunnel. */
  admit(head: RequestHead): Extract<Admission, { kind: "admitted" }> | Refusal;
  /** Refuses what never became a request head. */
  refuse(reason: Reason): Refusal;
  /** Cuts both connections. Only the first reason counts. */
  end(reason: Reason, finding?: string): void;
  /** Lets what was written go out, and ends then. */
  finish(reason: Reason): void;
  readonly isEnded: () => boolean;
}

export const createTunnel = (
  options: TerminateOptions,
  end: (reason: Reason, finding: string | null, how: "cut" | "finish") => void,
): Tunnel => {
  let ended = false;
  const counts = { admitted: 0, refused: 0 };
  const endOnce = (reason: Reason, finding: string | null, how: "cut" | "finish"): void => {
    if (ended) return;
    ended = true;
    end(reason, finding, how);
  };
  const refuse = (reason: Reason, finding: string | null = null): Refusal => {
    const answer = refusal(reason);
    counts.refused += 1;
    options.onEvent({ kind: "refused", reason, status: answer.status, finding });
    return answer;
  };
  return {
    options,
    counts,
    admit(head) {
      const admission = admitRequest(head, options);
      switch (admission.kind) {
        case "refused":
          if (admission.reason === "CANARY") endOnce("CANARY", admission.finding, "cut");
          return refuse(admission.reason, admission.finding);
        case "admitted": {
          const { rule, secrets } = admission;
          const { method } = head;
          if (!options.onEvent({ kind: "admitted", method, rule, secrets }))
            return refusal("HALTED");
          counts.admitted += 1;
          return admission;
        }
      }
    },
    refuse: (reason) => refuse(reason),
    end: (reason, finding) => endOnce(reason, finding ?? null, "cut"),
    finish: (reason) => endOnce(reason, null, "finish"),
    isEnded: () => ended,
  };
};
