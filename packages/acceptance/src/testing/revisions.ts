import type { JsonValue } from "@drydock/evidence";
import type { ReadAnswer } from "../client/index.js";
import { START } from "./contracts.js";

export const HISTORY_PATH = "/api/v2/diagnostics/config_history/revisions";

export interface Revision {
  readonly id: number;
  readonly time: number;
  readonly description: string;
  readonly version: string;
  readonly filesize: number;
}

/** As an appliance lists them: the newest first, and each a minute older than the one before. */
export const revisions = (count: number): readonly Revision[] =>
  Array.from({ length: count }, (_, id) => ({
    id,
    time: START / 1_000 - 60 * id,
    description: `admin@192.0.2.9 (Local Database): change ${count - id}`,
    version: "23.3",
    filesize: 20_000 + id,
  }));

export const answerOf = (data: unknown, more: Readonly<Record<string, JsonValue>> = {}) =>
  ({
    status: 200,
    body: { code: 200, status: "ok", response_id: "SUCCESS", message: "", data, ...more },
  }) satisfies ReadAnswer;
