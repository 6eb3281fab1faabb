import { DrydockError } from "@drydock/evidence";
import type { Reason } from "../decision/index.js";
import type { EgressPolicy } from "../policy/index.js";
import { createPolicyResolver } from "../resolve/index.js";
import {
  type BrokerCounters,
  connectionsFor,
  createBroker,
  createDial,
  type EgressReceipt,
  listen,
  MAX_LOOKUPS,
  REFUSED_AT_ONCE,
} from "../service/index.js";
import type { Timers } from "../timers.js";
import type { ListenAddress } from "./parse-listen.js";

export interface StandaloneOptions {
  readonly policy: EgressPolicy;
  readonly listen: ListenAddress;
  /** The policy's limit, or this process's share of it. */
  readonly maxConnections: number;
  /** RLIMIT_NOFILE of this process. */
  readonly openFiles: number;
  readonly timers: Timers;
  /** So many unpredictable bytes. */
  readonly random: (bytes: number) => Uint8Array;
  readonly receipts: (receipt: EgressReceipt) => void;
  readonly onBroken: (error: unknown) => void;
  /** As `BrokerOptions` has it. */
  readonly withheld?: () => Reason | null;
}

export interface Standalone {
  readonly address: ListenAddress;
  /** As given, or less where descriptors wouldn't do for it. */
  readonly maxConnections: number;
  readonly counters: BrokerCounters;
  /** Ends every tunnel at once and refuses what comes. */
  revoke(): void;
  /** Accepts nothing more, ends every tunnel, and resolves when all receipts are written. */
  close(): Promise<void>;
}

/**
 * A broker that is a CONNECT proxy on an address of this machine.
 *
 * @throws DrydockError OPEN_FILES, or what `listen` throws
 */
export const startStandalone = async (options: StandaloneOptions): Promise<Standalone> => {
  const { openFiles, timers, random, receipts, onBroken, withheld } = options;
  const { limits } = options.policy;
  const maxConnections = connectionsFor(options.maxConnections, {
    openFiles,
    maxLookups: MAX_LOOKUPS,
    refusedAtOnce: REFUSED_AT_ONCE,
  });
  if (maxConnections < 1)
    throw new DrydockError("OPEN_FILES", `${openFiles} open files are too few for a connection`, {
      fix: "Raise the limit where it is started: ulimit -n 4096.",
    });
  const policy = { ...options.policy, limits: { ...limits, maxConnections } };
  const broker = createBroker({
    policy,
    resolver: createPolicyResolver(policy, { random, timers }),
    dial: createDial(timers),
    timers,
    receipts,
    onBroken,
    ...(withheld === undefined ? {} : { withheld }),
    // It serves for weeks, and whoever keeps its receipts says when there are too many.
    maxDecisions: Number.POSITIVE_INFINITY,
  });
  const listener = await listen(broker, { ...options.listen, maxConnections });
  const { address: host, port } = listener.address;
  return {
    address: { host, port },
    maxConnections,
    get counters() {
      return broker.counters;
    },
    revoke: () => broker.revoke(),
    close: async () => {
      const closed = listener.close();
      await broker.close();
      await closed;
    },
  };
};
