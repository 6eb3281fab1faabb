import { DrydockError } from "@drydock/evidence";

/** Both from 1; columns are UTF-16 code units, as editors count them. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** One thing that is wrong, and where. */
export interface PlacedFinding {
  readonly place: Place;
  /** null: what the whole report is called. */
  readonly code: string | null;
  readonly what: string;
}

/** At most this many findings are shown; a person fixes some and runs it again. */
const MAX_FINDINGS = 10;

/**
 * One error for all of them, each as `name:line:column: what`, one a line; a finding's own code
 * stands before what it says, and the first such code is the error's.
 */
export const refuseFile = (
  code: string,
  name: string,
  findings: readonly PlacedFinding[],
  fix: string,
): never => {
  const shown = findings.slice(0, MAX_FINDINGS).map(({ place: { line, column }, code, what }) => {
    const said = code === null ? what : `${code}: ${what}`;
    return `${name}:${line}:${column}: ${said}`;
  });
  const more = findings.length - shown.length;
  const message = [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join("\n");
  const own = findings.find((finding) => finding.code !== null)?.code;
  throw new DrydockError(own ?? code, message, { fix });
};
