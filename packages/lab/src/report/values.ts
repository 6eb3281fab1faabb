import { type Canary, MAX_CANARY_LENGTH, MIN_CANARY_LENGTH } from "@drydock/broker";

/** What nothing that is kept may hold: what it is called, and what it is. */
export interface Withheld {
  /** `[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}`: names it where it is found. */
  readonly id: string;
  /** Text of any length, such as a password or a key in PEM. */
  readonly value: string;
}

/** The frame of every answer of the API has it, and nothing else that is written here. */
const BODY_OF_AN_ANSWER: Withheld = { id: "body-of-an-answer", value: '"response_id"' };

const SEARCHABLE = /^[\x20-\x7e]+$/;
const FRAME_OF_PEM = /^-----/;

/**
 * What is searched for: each value, and a mark that every answer of an appliance has, so that a body
 * without a planted value is seen too. A value of several lines is searched for line by line: each is
 * as telling, and a file may break it elsewhere.
 *
 * @throws RangeError for a value that can't be searched for, so that none is left out in silence
 */
export const searchFor = (withheld: readonly Withheld[]): readonly Canary[] =>
  [...withheld, BODY_OF_AN_ANSWER].flatMap(({ id, value }) => {
    const lines = value
      .split(/[\r\n]+/)
      .filter((line) => !FRAME_OF_PEM.test(line))
      .map((line) => line.slice(0, MAX_CANARY_LENGTH))
      .filter((line) => line.length >= MIN_CANARY_LENGTH && SEARCHABLE.test(line));
    if (lines.length === 0) throw new RangeError(`${id} can't be searched for`);
    return [...new Set(lines)].map((line) => ({ id, value: line }));
  });
