import type { Order } from "../contract/index.js";
import type { RunSpec } from "../spec/index.js";
import {
  commitEnvironment,
  committedEnvironment,
  effectiveEnvironment,
} from "./commit-environment.js";

/** Where a command runs when a source was staged, and where its artifacts are looked for. */
export const WORK_DIRECTORY = "/work";

export interface OrderOptions {
  readonly run: string;
  readonly spec: RunSpec;
  /** Whether the command gets one. */
  readonly terminal: boolean;
  readonly idempotencyKey: string | null;
  readonly environmentKey: Uint8Array;
  readonly liveRuns: readonly string[];
  readonly egress: Order["egress"];
  /** Variables that name the certificates of the run. */
  readonly trust: Readonly<Record<string, string>>;
}

/** What the controller is told of the run: what was asked for, without the values of its environment. */
export const orderOf = ({
  run,
  spec,
  terminal,
  idempotencyKey,
  environmentKey,
  liveRuns,
  egress,
  trust,
}: OrderOptions): Order => {
  const environment = committedEnvironment(
    effectiveEnvironment(spec.env, { proxied: egress !== null, trust }),
    [...spec.canaries, ...(egress?.secrets ?? []).map(({ name }) => name)],
  );
  return {
    run,
    title: (spec.command ?? ["(lab)"])
      .join(" ")
      .replace(/[^\x20-\x7e]/g, "?")
      .slice(0, 200),
    idempotencyKey,
    liveRuns: [...liveRuns],
    command:
      spec.command === null
        ? null
        : {
            argv: spec.command,
            cwd: spec.cwd ?? WORK_DIRECTORY,
            environment: {
              commitment: commitEnvironment(environmentKey, environment),
              names: Object.keys(environment).sort(),
            },
            tty: terminal,
            user: `${spec.user.uid}:${spec.user.gid}`,
          },
    sourceDestination: WORK_DIRECTORY,
    sourceOwner: spec.user,
    limits: spec.limits,
    artifacts: spec.artifacts,
    artifactRoot: spec.cwd ?? WORK_DIRECTORY,
    egress,
    canaries: [...spec.canaries],
  };
};
