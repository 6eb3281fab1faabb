/**
 * Static: reads, checks, signs, stops or removes; works under halt. Dynamic: starts a guest,
 * brings in what a guest will run, or opens a way out; refuses under halt before it touches
 * anything.
 */
export type VerbKind = "static" | "dynamic";

/** Every verb of the command line. A test walks this table and the command line's own list. */
export const VERBS = {
  run: "dynamic",
  shell: "dynamic",
  verify: "static",
  // Building boots a golden guest, importing unpacks hostile layers.
  "image build": "dynamic",
  "image import": "dynamic",
  "image list": "static",
  "image inspect": "static",
  "image prune": "static",
  "trials list": "static",
  "trials show": "static",
  "trials gc": "static",
  // Reads a policy and asks nobody.
  "egress check": "static",
  // Opens a way out. A halt ends it when it runs already.
  "egress serve": "dynamic",
  // Reads files and prints rules.
  "boundary compile": "static",
  // Starts a scenario's containers.
  "boundary apply": "dynamic",
  // Reads engine and kernel.
  "boundary observe": "static",
  // Closes, and starts nothing: what stops mustn't be refused.
  "boundary watch": "static",
  // Removes.
  "boundary clear": "static",
  // Says whether an appliance may start, and tries flows from inside of it.
  "boundary gate": "dynamic",
  // Lists listeners, and tries what mustn't answer.
  "boundary observe-host": "static",
  // Signs.
  "boundary release": "static",
  // Starts a server, in a namespace that leads nowhere.
  "lab appliance": "dynamic",
  // Starts a supervisor, a stand-in and what changes it.
  "lab accept": "dynamic",
  // Reads variables, and says which are set.
  "lab evidence-env": "static",
  // Read an appliance by GET alone.
  "lab preflight": "static",
  "lab dry-run": "static",
  // Starts a guest for somebody's adapter.
  "lab conformance": "dynamic",
  // Opens listeners, whose connections lead where its API says. A halt ends it.
  "faults serve": "dynamic",
  "keys init": "static",
  "keys list": "static",
  "keys export": "static",
  "keys rotate": "static",
  "keys revoke": "static",
  sign: "static",
  "halt on": "static",
  "halt off": "static",
  "halt status": "static",
  // Under halt it reports everything but the accelerator, for which it would boot a canary.
  doctor: "static",
} as const satisfies Readonly<Record<string, VerbKind>>;

export type Verb = keyof typeof VERBS;
