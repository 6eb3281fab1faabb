import { join } from "node:path";

/** Where each thing lies under the state directory. Directories are 0700, files 0600. */
export interface StateLayout {
  readonly state: string;
  readonly keys: string;
  readonly controllerKey: string;
  /** Never part of evidence: see `environmentKey`. */
  readonly environmentKey: string;
  /** `drydock.trust/v1`: what this installation's keys may sign. */
  readonly trust: string;
  readonly journal: string;
  readonly ledger: string;
  readonly halt: string;
  readonly runs: string;
}

export const layoutOf = (state: string): StateLayout => ({
  state,
  keys: join(state, "keys"),
  controllerKey: join(state, "keys", "controller.pem"),
  environmentKey: join(state, "keys", "environment.key"),
  trust: join(state, "keys", "trust.json"),
  journal: join(state, "journal"),
  ledger: join(state, "ledger.sqlite"),
  halt: join(state, "halt"),
  runs: join(state, "runs"),
});

/** Files of one run's evidence. */
export interface RunLayout {
  readonly directory: string;
  readonly manifest: string;
  readonly logs: string;
  readonly artifacts: string;
  readonly verdict: string;
  log(role: "controller" | "port" | "egress"): {
    readonly log: string;
    readonly checkpoints: string;
  };
}

export const runLayout = (directory: string): RunLayout => ({
  directory,
  manifest: join(directory, "manifest.json"),
  logs: join(directory, "logs"),
  artifacts: join(directory, "artifacts"),
  verdict: join(directory, "verdict.dsse.json"),
  log: (role) => ({
    log: join(directory, "logs", `${role}.jsonl`),
    checkpoints: join(directory, "logs", `${role}.checkpoint`),
  }),
});
