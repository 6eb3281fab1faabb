import type { Answer } from "../answer/answer.js";

/** `at` in milliseconds. What comes for a query that was dropped is passed over. */
export type LookupEvent =
  | {
      readonly type: "answer";
      readonly query: number;
      readonly answer: Answer;
      readonly at: number;
    }
  /** The query's share of the time is over. */
  | { readonly type: "silent"; readonly query: number; readonly at: number }
  /** The query's socket failed, or its connection ended without an answer. */
  | { readonly type: "broken"; readonly query: number; readonly at: number };
