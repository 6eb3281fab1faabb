import { ALL_CELLS, type Cell } from "./matrix/all-cells.js";
import { BEYOND } from "./matrix/beyond.js";
import { IMPOSSIBLE } from "./matrix/impossible.js";
import { ROUTES, type Route, TECHNIQUES, type Technique, VARIANT_KINDS } from "./matrix/model.js";

const MARKS = ["<!-- matrix -->", "<!-- /matrix -->"] as const;
/** So many examples of a kind are named on the page. */
const EXAMPLES = 6;

const row = (...columns: readonly string[]): string => `| ${columns.join(" | ")} |`;
const rule = (columns: number): string => `|${"---|".repeat(columns)}`;

const keysOf = <Key extends string>(table: Readonly<Record<Key, string>>): readonly Key[] =>
  Object.keys(table) as Key[];

const letterOf = (index: number): string => String.fromCharCode(97 + index);

const REASONS = [...new Set(IMPOSSIBLE.map(({ because }) => because))];

const countOf = (technique: Technique, route: Route): string => {
  const count = ALL_CELLS.filter(
    (cell) => cell.technique === technique && cell.route === route,
  ).length;
  if (count > 0) return `tested, ${count}`;
  const why = IMPOSSIBLE.find((cell) => cell.technique === technique && cell.route === route);
  return why === undefined ? "not covered" : `– ${letterOf(REASONS.indexOf(why.because))}`;
};

const matrix = (): readonly string[] => [
  row("", ...Object.values(ROUTES)),
  rule(1 + keysOf(ROUTES).length),
  ...keysOf(TECHNIQUES).map((technique) =>
    row(TECHNIQUES[technique], ...keysOf(ROUTES).map((route) => countOf(technique, route))),
  ),
  "",
  ...REASONS.map((because, index) => `${letterOf(index)}: ${because}.  `),
];

const spread = (cells: readonly Cell[]): string => {
  const names = [...new Set(cells.map(({ variant }) => variant))];
  const step = Math.max(1, Math.floor(names.length / EXAMPLES));
  const chosen = names.filter((_, index) => index % step === 0).slice(0, EXAMPLES);
  return `${chosen.join("; ")}${chosen.length < names.length ? "; …" : ""}`;
};

const variants = (): readonly string[] => [
  row("what differs from what is granted", "for example", "status"),
  rule(3),
  ...keysOf(VARIANT_KINDS).map((kind) => {
    const cells = ALL_CELLS.filter((cell) => cell.kind === kind);
    return row(VARIANT_KINDS[kind], spread(cells), `tested, ${cells.length}`);
  }),
  ...BEYOND.map(({ what, status, how }) => row(what, how, status)),
];

/** The public table, as docs/egress.md has it between its marks. */
export const matrixPage = (): string =>
  [MARKS[0], ...matrix(), "", ...variants(), MARKS[1]].join("\n");

/** A page with its table made new. */
export const withMatrix = (page: string): string => {
  const [before, rest = ""] = page.split(MARKS[0]);
  const [, behind] = rest.split(MARKS[1]);
  if (behind === undefined) throw new Error(`the page has no ${MARKS.join(" … ")}`);
  return `${before}${matrixPage()}${behind}`;
};
