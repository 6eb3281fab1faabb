import { DrydockError, quote } from "@drydock/evidence";
import type { BoundaryCode } from "../codes.js";
import type { Difference, DifferenceKind } from "../readback/index.js";

/** What a person reads; all of them are the error's cause. */
const MAX_SAID = 4;

/** @param differences at least one. */
export const unproven = (differences: readonly Difference[]): DrydockError<BoundaryCode> => {
  const said = differences.slice(0, MAX_SAID).map(describe).join("; ");
  const further = differences.length - MAX_SAID;
  return new DrydockError<BoundaryCode>(
    "APPLY_UNPROVEN",
    `what the kernel holds isn't what was written, or isn't all that holds: ${said}${further > 0 ? `; and ${further} more` : ""}`,
    {
      fix: fixesFor(differences).join(" "),
      cause: differences,
    },
  );
};

const describe = ({ kind, table, chain, rule }: Difference): string => {
  const place = [
    ...(table === null ? [] : [`table ${quote(table)}`]),
    ...(chain === null ? [] : [`chain ${quote(chain)}`]),
    ...(rule === null ? [] : [`rule ${quote(rule)}`]),
  ].join(", ");
  switch (kind) {
    case "table-missing":
      return `${place} is missing`;
    case "table-foreign":
      return `${place} doesn't say that it is this boundary's`;
    case "table-comment":
      return `${place} says that it is another ruleset`;
    default:
      return `${kind} in ${place}`;
  }
};

/** One for each party that has to do something. */
const fixesFor = (differences: readonly Difference[]): readonly string[] => [
  ...new Set(differences.map(({ kind }) => FIXES[partyOf(kind)])),
];

type Party = "gone" | "foreign" | "changed" | "beside" | "settings";

const FIXES: Readonly<Record<Party, string>> = {
  gone: "Somebody deleted it since it was written: find out who, such as a firewall's service that loads its own rules over all others, and apply again; what is missing is made anew.",
  foreign:
    "Somebody put it in the place of this boundary's: find out who, delete it with nft, and apply again.",
  changed:
    "Somebody changed it since it was written: find out who changes rules in this namespace, and apply again.",
  beside:
    "It is another table's, and no apply mends it: have its owner take it away, and apply again.",
  settings: "Find out who changes the kernel's settings in this namespace, and apply again.",
};

const partyOf = (kind: DifferenceKind): Party => {
  switch (kind) {
    case "table-missing":
      return "gone";
    case "table-foreign":
      return "foreign";
    case "table-comment":
    case "table-flags":
    case "object-extra":
    case "chain-missing":
    case "chain-extra":
    case "chain-base":
    case "rule-missing":
    case "rule-extra":
    case "rule-shadowing":
    case "rule-changed":
    case "rule-moved":
      return "changed";
    case "foreign-accept":
    case "foreign-mark":
    case "foreign-rewrite":
    case "foreign-bypass":
    case "foreign-unreadable":
      return "beside";
    case "setting":
      return "settings";
  }
};
