import type { Readable, Writable } from "node:stream";
import {
  DrydockError,
  digestOfValue,
  isDrydockError,
  isJsonObject,
  type JsonValue,
} from "@drydock/evidence";
import type { ScenarioReport, Unexpected } from "../scenario/index.js";
import { requireTargetsPath } from "./console-scope.js";
import type { HandedStores } from "./handed-stores.js";
import { type Answer, type Ask, parseHarnessLine } from "./harness-protocol.js";
import { linesOf } from "./lines.js";
import type { StandIn } from "./stand-in.js";

export interface Heard {
  /** Whether the harness said that it is done. */
  readonly played: boolean;
  readonly unexpected: Unexpected | null;
}

export interface ListenOptions {
  readonly harness: { readonly input: Writable; readonly output: Readable };
  readonly standIn: StandIn;
  readonly stores: HandedStores;
  /** The only snapshot there is to go back to. */
  readonly base: { readonly name: string; readonly digest: string };
  readonly onReport: (report: ScenarioReport) => void;
  /** Once it is true nothing more is done for the harness. */
  readonly isOver: () => boolean;
}

/**
 * Does for a harness what it asks, until it has nothing more to say.
 *
 * @throws DrydockError LAB_LINE for what no harness says
 */
export const listenToHarness = async (options: ListenOptions): Promise<Heard> => {
  const { harness, stores, onReport, isOver } = options;
  for await (const bytes of linesOf(harness.output)) {
    if (isOver()) break;
    const line = parseHarnessLine(bytes);
    switch (line.type) {
      case "ask": {
        const answer = await answerTo(line.id, line.ask, options);
        harness.input.write(`${JSON.stringify(answer)}\n`);
        break;
      }
      case "scenario":
        stores.forget();
        onReport(line.report);
        break;
      case "played":
        return { played: true, unexpected: line.unexpected };
    }
  }
  return { played: false, unexpected: null };
};

const answerTo = async (id: number, ask: Ask, options: ListenOptions): Promise<Answer> => {
  try {
    return { id, ok: await perform(ask, options) };
  } catch (error) {
    if (!isDrydockError(error)) throw error;
    const { code, message } = error;
    return { id, error: { code, message } };
  }
};

const perform = async (ask: Ask, { standIn, stores, base }: ListenOptions): Promise<JsonValue> => {
  switch (ask.do) {
    case "snapshot": {
      const configuration = withoutAccounts(await standIn.ask({ do: "configuration" }));
      return { configuration, digest: await standIn.digest() };
    }
    case "restore":
      if (ask.digest !== base.digest)
        throw new DrydockError("LAB_SNAPSHOT", "there is no snapshot of this digest");
      return { digest: await standIn.restore(base.name) };
    case "damage-history":
      return await standIn.ask({ do: "damage-history" });
    case "duplicate-alias":
      return await standIn.ask({ do: "duplicate-alias", name: ask.name });
    case "console":
      requireTargetsPath(ask.path);
      return await standIn.ask({
        do: "console",
        method: ask.method,
        path: ask.path,
        data: ask.data,
      });
    case "hand-over": {
      const { do: _, key, ...store } = ask;
      stores.take({ ...store, key: Buffer.from(key, "hex") });
      return null;
    }
  }
};

/** A change in them shows all the same. The key of bearer tokens would make any of them one's own. */
const ACCOUNTS = ["users", "keys", "serverKey"] as const;

const withoutAccounts = (configuration: JsonValue): JsonValue => {
  if (!isJsonObject(configuration)) return configuration;
  const hidden = ACCOUNTS.map((part) => [part, digestOfValue(configuration[part] ?? null)]);
  return { ...configuration, ...Object.fromEntries(hidden) };
};
