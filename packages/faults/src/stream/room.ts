import { MAX_CONNECTIONS } from "./limits.js";

/** Guard: whether one more connection may be had. */
export const hasRoom = (connections: number): boolean => connections < MAX_CONNECTIONS;
