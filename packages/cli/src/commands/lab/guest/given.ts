import { join } from "node:path";
import type { Place } from "@drydock/lab";

/** Where the program and what it is told of the command are put: its user's, as all that is put. */
const PUT = "/opt/drydock-lab";

/** Made by the program, as root, so that no command can put another directory in its place. */
const MADE = "/var/lib/drydock-lab";

/** Where everything is in a guest that has a stand-in. */
export const IN_GUEST = {
  program: join(PUT, "stand-in.mjs"),
  command: join(PUT, "command.json"),
  directory: MADE,
  state: join(MADE, "state"),
  ca: join(MADE, "ca.pem"),
  labKey: join(MADE, "lab-api-key"),
} as const;

/** Which stand-in it is, from the one outside, which has judged it. Nothing is secret. */
export interface StandIn extends Place {
  readonly besides: readonly string[];
  readonly candidate: string | null;
  readonly apiVersion: string;
}

/** What of the command isn't in its words; its environment may be secret, and is sealed by digest. */
export interface CommandSurroundings {
  readonly user: { readonly uid: number; readonly gid: number };
  readonly env: Readonly<Record<string, string>>;
}
