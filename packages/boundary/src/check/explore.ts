import type { Packet } from "../model/index.js";
import { type ClassesOf, type Distinctions, distinctionsOf, fieldsOf } from "./classes.js";
import { bitOf, type Field, type FieldSet, firstOf, type Header } from "./kernel/field.js";
import { hasDroppingChain, narrow, type Verdict, verdictOf } from "./kernel/narrow.js";
import type { Program, Segment } from "./kernel/program.js";
import { run } from "./kernel/run.js";
import type { Way } from "./kernel/visit.js";
import type { Constants } from "./meaning-constants.js";
import { Reading } from "./reading.js";

/** Whose words are compared on each cell: what a meaning says, and what rules do. */
export interface Subject<Word> {
  readonly meaning: (packet: Packet) => Word;
  readonly constants: Constants;
  readonly program: Program;
  readonly classesOf: ClassesOf;
}

/** A set of packets that nobody tells apart, by one of them. */
export interface Cell<Word> {
  readonly word: Word;
  readonly verdict: Verdict;
  readonly packet: () => Packet;
}

const BLANK: Header = {
  etherType: "ip",
  sourceMac: "0e:dd:00:00:00:00",
  arpMac: "0e:dd:00:00:00:00",
  source: 0,
  destination: 0,
  state: "new",
  protocol: "tcp",
  port: 0,
};

/** Only IP is routed. */
const isPossible = ({ path, inBridge, outBridge }: Way, { etherType }: Header): boolean =>
  etherType === "ip" ||
  etherType === "ip6" ||
  (path !== "routed" && (inBridge !== null || outBridge !== null));

/**
 * Visits every packet that takes a way, as cells: splits the header space field by field, by what
 * the rules that are still open and the meaning tell apart, and stops where neither has anything
 * left to look at.
 *
 * @param given fields that are of interest with one value alone
 * @returns how many cells there are
 */
export const explore = <Word>(
  { meaning, constants, program, classesOf }: Subject<Word>,
  way: Way,
  visit: (cell: Cell<Word>) => void,
  given: Partial<Header> = {},
): number => {
  const header: Header = { ...BLANK, ...given };
  const givenFields = (Object.keys(given) as Field[]).reduce((sum, each) => sum | bitOf(each), 0);
  const reading = new Reading(way, header);
  const packet = (): Packet => reading.copy(way);
  let cells = 0;
  const reach = (word: Word, verdict: Verdict): void => {
    cells += 1;
    visit({ word, verdict, packet });
  };

  const split = (segments: readonly Segment[], known: FieldSet): void => {
    const dropped = hasDroppingChain(segments, header, known);
    const left = dropped ? segments : narrow(segments, header, known);
    const verdict = dropped ? "drop" : verdictOf(left);
    reading.read = 0;
    const word = meaning(reading);
    const unread = reading.read & ~known;
    const untried = verdict === undefined ? fieldsOf(left) & ~known : 0;
    const field = firstOf(unread | untried);
    if (field === undefined) reach(word, verdict ?? run(left, header));
    else {
      // Whoever hasn't decided yet may look at this field later, for another value of another one.
      const told: Distinctions[] = [];
      if (verdict === undefined) told.push(distinctionsOf(left, field));
      if (unread !== 0) told.push(constants(field, way, header, known));
      each(field, classesOf(field, told), left, known | bitOf(field), untried);
    }
  };

  const each = <F extends Field>(
    field: F,
    values: readonly Header[F][],
    left: readonly Segment[],
    known: FieldSet,
    untried: FieldSet,
  ): void => {
    const initial = header[field];
    for (const value of values) {
      header[field] = value;
      if ((untried & ~known) === 0) settle(left, known);
      else split(left, known);
    }
    header[field] = initial;
  };

  /** Where the rules have no other field to look at. */
  const settle = (left: readonly Segment[], known: FieldSet): void => {
    reading.read = 0;
    const word = meaning(reading);
    if ((reading.read & ~known) === 0) reach(word, run(left, header));
    else split(left, known);
  };

  const etherTypes = given.etherType === undefined ? classesOf("etherType", []) : [given.etherType];
  for (const etherType of etherTypes) {
    header.etherType = etherType;
    if (isPossible(way, header)) {
      split(program(way, etherType), bitOf("etherType") | givenFields);
    }
  }
  return cells;
};
