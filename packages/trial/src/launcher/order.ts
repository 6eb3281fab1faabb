import { canonicalBytes, digestOf } from "@drydock/evidence";
import type { Order } from "../contract/index.js";
import type { RunSpec } from "../spec/index.js";

/** Where a command runs when a source was staged, and where its artifacts are looked for. */
export const WORK_DIRECTORY = "/work";

/** What the controller is told of the run: what was asked for, without the values of its environment. */
export const orderOf = (
  run: string,
  spec: RunSpec,
  idempotencyKey: string | null,
  liveRuns: readonly string[],
): Order => {
  const names = Object.keys(spec.env).sort();
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
              digest: digestOf(canonicalBytes(spec.env)),
              names,
            },
            tty: false,
            user: `${spec.user.uid}:${spec.user.gid}`,
          },
    sourceDestination: WORK_DIRECTORY,
    sourceOwner: spec.user,
    limits: spec.limits,
    artifacts: spec.artifacts,
    artifactRoot: spec.cwd ?? WORK_DIRECTORY,
  };
};
