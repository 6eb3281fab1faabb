import { BROKEN } from "@drydock/acceptance/testing";
import type { Swap } from "@drydock/testkit";
import type { ScenarioName } from "../scenario/index.js";

/** A rehearsal of which one part is broken on purpose. */
export interface BrokenRehearsal extends Swap {
  readonly name: string;
  /** In which scenario it shows. It may in others as well. */
  readonly shownBy: ScenarioName;
  /** What the report has to say about it. */
  readonly named: RegExp;
}

/**
 * Each replaces one module, in whatever process of the rehearsal loads it, by one that somebody
 * might have written: the program is the same, and no switch of it makes this happen.
 */
export const BROKEN_REHEARSALS: readonly BrokenRehearsal[] = [
  {
    ...BROKEN.retries,
    shownBy: "response_dropped_after_commit",
    named: /^forwardSends: [23], not 1$/,
  },
  {
    ...BROKEN.trusts,
    shownBy: "d6_edit_between_last_read_and_delivery",
    named: /^state: VERIFIED, not RECONCILIATION$/,
  },
  {
    ...BROKEN.forces,
    shownBy: "conflicting_edit_after_verification",
    named: /^rollbackSends: 1, not 0$/,
  },
  {
    ...BROKEN.blind,
    shownBy: "corrupt_or_replayed_local_store",
    named: /^state: VERIFIED, not FAILED$/,
  },
  {
    ...BROKEN.byNumber,
    shownBy: "d2_drift_between_preparation_and_send",
    named: /^unexpected: EXECUTOR_TARGET_DIFFERENT$/,
  },
  {
    ...BROKEN.takesFirst,
    shownBy: "target_changed_between_prepare_and_execute",
    named: /^forwardSends: 1, not 0$/,
  },
  {
    ...BROKEN.forgets,
    shownBy: "response_dropped_after_commit",
    named: /^reservation: free, not held$/,
  },
  {
    name: "proxy that never fires",
    // The proxy's own process is started with nothing of its starter's: it is told the wrong thing.
    module: "packages/faults/dist/control/fault-proxy.js",
    source: `
      import { FaultProxy as Real } from "./fault-proxy.js?real";
      export class FaultProxy {
        static async install(options) {
          const proxy = await Real.install(options);
          const arm = proxy.arm.bind(proxy);
          proxy.arm = (options) => arm({ ...options, nth: 1000 });
          return proxy;
        }
      }`,
    shownBy: "response_dropped_after_commit",
    named: /^fault: drop-response at mutation had no effect$/,
  },
  {
    name: "revocation that lies",
    module: "packages/lab/dist/exit/supervisor-control.js",
    source: `
      import { supervisorControl as real } from "./supervisor-control.js?real";
      export * from "./supervisor-control.js?real";
      export const supervisorControl = (options) => ({ ...real(options), revoke: async () => {} });`,
    shownBy: "clean_passthrough",
    named: /^exit: permissionRevoked false$/,
  },
];
