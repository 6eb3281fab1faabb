import type { Opinion } from "../meaning/index.js";
import type { Verdict } from "./kernel/narrow.js";

/** What rules have to do with a packet; null where they may do as they like. */
export const demanded = ({ action, masquerade }: Opinion): Verdict | null => {
  switch (action) {
    case "allow":
      return masquerade ? "masquerade" : "accept";
    case "silent":
      return "accept";
    case "deny":
      return "drop";
    case "free":
      return null;
  }
};

/** Whether rules do with a packet what is meant. */
export const agrees = (opinion: Opinion, verdict: Verdict): boolean => {
  const wanted = demanded(opinion);
  return wanted === null || wanted === verdict;
};
