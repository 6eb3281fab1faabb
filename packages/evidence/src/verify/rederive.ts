import { type Finding, finding } from "../finding.js";
import { canonicalise } from "../json/canonical.js";
import { VERDICT_FILE } from "../run/layout.js";
import type { DerivedVerdict } from "../verdict/derive.js";
import type { VerdictPredicate } from "../verdict/statement.js";

/** The signed verdict against the one that logs and manifest give. */
export const rederivationFindings = (
  signed: VerdictPredicate,
  derived: DerivedVerdict,
): readonly Finding[] => {
  const compared = ["verdict", "tier", "integrity", "completeness", "gates"] as const;
  return compared
    .filter((field) => canonicalise(signed[field]) !== canonicalise(derived[field]))
    .map((field) =>
      finding(
        "VERDICT_DIFFERS",
        VERDICT_FILE,
        field,
        field === "gates"
          ? "the logs decide the gates differently"
          : `says ${signed[field]}, the logs give ${derived[field]}`,
      ),
    );
};
