import type { JsonValue } from "@drydock/evidence";
import { type ApiAnswer, unexpectedError } from "../answer/index.js";
import type { Appliance } from "../configuration/index.js";
import { restoreSnapshot, type Snapshot, takeSnapshot } from "../snapshot.js";
import { type ApplianceEvent, type Step, step } from "../step.js";
import type { Keep } from "./keep.js";
import { LOCK_ATTEMPTS, LOCK_WAIT_MS, RELOAD_MS } from "./limits.js";

export interface EngineOptions {
  readonly appliance: Appliance;
  readonly keep: Keep;
  /** Runs something after so many milliseconds; what it returns cancels that. */
  readonly later: (ms: number, run: () => void) => () => void;
  /** How long rules take to load, and how often the lock on the configuration is asked for. */
  readonly reloadMs?: number;
  readonly lockAttempts?: number;
}

/** One appliance: events one after another, each kept before it is answered. */
export interface Engine {
  readonly state: () => Appliance;
  /** To a request null where there is nothing at its path. Waits while the configuration is locked. */
  handle(event: ApplianceEvent): Promise<ApiAnswer | null>;
  snapshot(): Snapshot;
  /** Also while it serves: what is answered next is answered by the snapshot. */
  restore(snapshot: Snapshot): void;
  close(): void;
}

export const createEngine = ({
  appliance,
  keep,
  later,
  reloadMs = RELOAD_MS,
  lockAttempts = LOCK_ATTEMPTS,
}: EngineOptions): Engine => {
  let state = appliance;
  const waiting = new Set<() => void>();
  let closed = false;

  const wait = (ms: number, run: () => void): void => {
    const cancel = later(ms, () => {
      waiting.delete(cancel);
      run();
    });
    waiting.add(cancel);
  };

  const take = (next: Step): ApiAnswer | null => {
    if (next.effects.some(({ kind }) => kind === "persist")) {
      try {
        keep.save(takeSnapshot(next.appliance));
      } catch (error) {
        // Nothing was changed: neither the file, which is replaced whole or not at all, nor memory.
        return unexpectedError(`write_config failed: ${String(error)}`);
      }
    }
    state = next.appliance;
    if (next.effects.some(({ kind }) => kind === "reload")) {
      wait(reloadMs, () => {
        state = step(state, { kind: "reloaded" }).appliance;
      });
    }
    return next.answer;
  };

  const handle = async (event: ApplianceEvent): Promise<ApiAnswer | null> => {
    for (let attempt = 0; ; attempt += 1) {
      const next = step(state, event);
      if (!isLocked(next.answer?.body["response_id"]) || attempt >= lockAttempts || closed) {
        return take(next);
      }
      await new Promise<void>((resolve) => wait(LOCK_WAIT_MS, resolve));
    }
  };

  return {
    state: () => state,
    handle,
    snapshot: () => takeSnapshot(state),
    restore(snapshot) {
      keep.save(snapshot);
      state = restoreSnapshot(state, snapshot);
    },
    close() {
      closed = true;
      for (const cancel of waiting) cancel();
    },
  };
};

const isLocked = (responseId: JsonValue | undefined): boolean =>
  responseId === "MODEL_WRITE_CONFIG_LOCKED";
