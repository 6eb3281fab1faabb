import type { Swap } from "@drydock/testkit";

interface Broken extends Swap {
  /** As the acceptance run names it. */
  readonly name: string;
}

/**
 * What an acceptance run has to notice: one module each, replaced by what somebody might have meant
 * well with.
 */
export const BROKEN = {
  retries: {
    name: "executor that retries",
    module: "packages/acceptance/dist/executor/send-once.js",
    source: `export const sendOnce = (client) => async (request) => {
      let outcome;
      for (let tries = 0; tries < 3; tries += 1) {
        try {
          outcome = await client.send(request);
          if (outcome.kind === "answered" && outcome.status < 500) return outcome;
        } catch {
          outcome = { kind: "ambiguous", reason: "UNKNOWN" };
        }
      }
      return outcome;
    };`,
  },
  trusts: {
    name: "executor that trusts a 2xx",
    module: "packages/acceptance/dist/executor/judge-readback.js",
    source: 'export const judgeReadback = () => ({ kind: "verified" });',
  },
  forces: {
    name: "rollback that forces",
    module: "packages/acceptance/dist/executor/may-roll-back.js",
    source: "export const mayNotRollBack = () => null;",
  },
  blind: {
    name: "executor that goes on without a history",
    module: "packages/acceptance/dist/executor/capture-history.js",
    source: "export const captureHistory = async () => null;",
  },
  byNumber: {
    name: "adapter that matches by numeric id",
    module: "packages/acceptance/dist/adapters/pfsense-alias-description/find-target.js",
    source: `const ids = new Map();
    export const findTarget = (rows, name) => {
      const row = ids.has(name)
        ? rows.find(({ id }) => id === ids.get(name))
        : rows.find((one) => one.name === name);
      if (row === undefined) {
        throw Object.assign(new Error("x"), { name: "DrydockError", code: "TARGET_ABSENT" });
      }
      ids.set(name, row.id);
      return row;
    };`,
  },
  takesFirst: {
    name: "adapter that takes the first of two",
    module: "packages/acceptance/dist/adapters/pfsense-alias-description/find-target.js",
    source: `export const findTarget = (rows, name) => {
      const row = rows.find((one) => one.name === name);
      if (row === undefined) {
        throw Object.assign(new Error("x"), { name: "DrydockError", code: "TARGET_ABSENT" });
      }
      return row;
    };`,
  },
  forgets: {
    name: "store that forgets a lock",
    module: "packages/acceptance/dist/contract/reservation.js",
    source: "export const holdsTarget = () => false;",
  },
} as const satisfies Readonly<Record<string, Broken>>;
