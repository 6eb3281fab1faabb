import type { Readable, Writable } from "node:stream";
import { DrydockError, type JsonValue } from "@drydock/evidence";
import type {
  ApplianceFromOutside,
  HandedStore,
  ScenarioReport,
  Unexpected,
} from "../scenario/index.js";
import {
  type Ask,
  type HarnessLine,
  methodOf,
  parseAnswer,
  parseConsoleAnswer,
  parseView,
} from "../supervisor/harness-protocol.js";
import { linesOf } from "../supervisor/lines.js";

/** The harness's end of its supervisor's pipe. */
export interface SupervisorLink {
  readonly appliance: ApplianceFromOutside;
  handOver(store: HandedStore): Promise<void>;
  report(report: ScenarioReport): void;
  played(unexpected: Unexpected | null): void;
}

/**
 * What is done to the appliance from outside, asked of the supervisor, which alone has a hand on it.
 * Everything waits for ever once the supervisor is gone: so is this process then.
 */
export const linkToSupervisor = (input: Readable, output: Writable): SupervisorLink => {
  const waiting = new Map<number, (answer: JsonValue | DrydockError) => void>();
  let next = 1;
  const tell = (line: HarnessLine): void => void output.write(`${JSON.stringify(line)}\n`);
  const ask = (asked: Ask): Promise<JsonValue> => {
    const id = next;
    next += 1;
    return new Promise((resolve, reject) => {
      waiting.set(id, (answer) => {
        waiting.delete(id);
        if (answer instanceof DrydockError) reject(answer);
        else resolve(answer);
      });
      tell({ type: "ask", id, ask: asked });
    });
  };
  const listen = async (): Promise<void> => {
    for await (const line of linesOf(input)) {
      const answer = parseAnswer(line);
      waiting.get(answer.id)?.(
        "ok" in answer ? answer.ok : new DrydockError(answer.error.code, answer.error.message),
      );
    }
    process.exit(1);
  };
  listen().catch((error: unknown) => {
    process.emitWarning(`the harness can't read its supervisor: ${String(error)}`);
    process.exit(1);
  });
  return {
    appliance: {
      snapshot: async () => parseView(await ask({ do: "snapshot" })),
      restore: async ({ digest }) => void (await ask({ do: "restore", digest })),
      damageHistory: async () => void (await ask({ do: "damage-history" })),
      duplicateAlias: async (name) => void (await ask({ do: "duplicate-alias", name })),
      atConsole: async (method, path, data = {}) =>
        parseConsoleAnswer(await ask({ do: "console", method: methodOf(method), path, data })),
    },
    handOver: async ({ key, ...store }) =>
      void (await ask({ do: "hand-over", ...store, key: key.toString("hex") })),
    report: (report) => tell({ type: "scenario", report }),
    played: (unexpected) => tell({ type: "played", unexpected }),
  };
};
