import type { WantedFiles } from "./wanted.js";

/**
 * Whether a boundary may stand in the network namespace of PID 1. Guard: only a policy that somebody
 * vouches for may say so, and with --dev nobody does.
 */
export const allowsHostNetwork = ({ policy, release }: Pick<WantedFiles, "policy" | "release">) =>
  release !== null && policy?.allowHostNetwork === true;
