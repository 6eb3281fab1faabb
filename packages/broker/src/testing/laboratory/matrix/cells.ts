import type { Expectation, Route } from "./model.js";
import { type BrokerTechnique, PLACES } from "./request.js";
import { type Spelling, spellings } from "./spellings.js";

/** One authority's text, asked for in one way. Its control is the granted text, in the same way. */
export interface SpellingCell {
  readonly technique: BrokerTechnique;
  readonly route: Route;
  readonly spelling: Spelling;
  readonly expected: Expectation;
  /** Why there can be no such cell. */
  readonly impossible: string | null;
}

/** A response field can't carry what would end it, so no redirect can name such an authority. */
const NOT_IN_A_FIELD = /[\0-\x08\x0a-\x1f\x7f]/;

export const spellingCells = (technique: BrokerTechnique, route: Route): readonly SpellingCell[] =>
  spellings(PLACES[technique]).map((spelling) => ({
    technique,
    route,
    spelling,
    expected: expectationOf(spelling, technique),
    impossible:
      route === "redirect" && NOT_IN_A_FIELD.test(spelling.authority)
        ? "no field of a response can hold its control byte"
        : null,
  }));

const expectationOf = (spelling: Spelling, technique: BrokerTechnique): Expectation => {
  const { connect, absolute = connect } = spelling;
  const reason = technique === "absolute" ? absolute : connect;
  return { reason, reach: reason === null ? "service" : "nothing" };
};
