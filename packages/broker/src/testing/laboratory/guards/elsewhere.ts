import { type GuardBeside, simply } from "./guard.js";

/** Guards that a test of their own notices, since no client is there yet. */
export const GUARDS_BESIDE: readonly GuardBeside[] = [
  {
    module: "secret/file",
    what: "takes a file that anybody can read",
    source: simply(`import { readFileSync } from "node:fs";
      export const readSecretFile = (file) => readFileSync(file);`),
    test: "secret/file.test",
  },
];

/** Guards that no client can reach through a broker, and which mutation test takes them away. */
export const TAKEN_AWAY_ELSEWHERE: ReadonlyMap<string, string> = new Map([
  // The kernel keeps others' datagrams from a connected socket; it counts only until then.
  ["resolve/sockets/from-server", "resolve/guards.mutation.test"],
  // It needs a broker that has written its last receipt.
  ["service/has-decisions-left", "service/guards.mutation.test"],
  // It needs several processes.
  ["standalone/share-of", "service/guards.mutation.test"],
  // It needs a process that is short of descriptors.
  ["service/connections-for", "service/guards.mutation.test"],
  // It needs a receipt of a boundary's.
  ["service/withheld-for", "service/guards.mutation.test"],
]);
