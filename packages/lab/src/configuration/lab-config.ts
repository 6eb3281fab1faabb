import { DrydockError } from "@drydock/evidence";
import { type LabTarget, parseTarget } from "../target/index.js";
import { CANDIDATE_FORM, isCandidate } from "./candidate.js";

/** What a lab run is told. There is no other source, and no default. */
export interface LabConfig {
  readonly target: LabTarget;
  /** The API identity that holds the candidate's one permission. */
  readonly identity: string;
  readonly keyFile: string;
  /** The synthetic alias that may be changed. */
  readonly candidate: string;
  readonly attestationFile: string;
}

export const LAB_VARIABLES = {
  url: "PFSENSE_LAB_API_URL",
  identity: "PFSENSE_LAB_IDENTITY",
  keyFile: "PFSENSE_LAB_API_KEY_FILE",
  candidate: "PFSENSE_LAB_CANDIDATE",
  attestationFile: "PFSENSE_LAB_ATTESTATION_FILE",
} as const;

type Name = keyof typeof LAB_VARIABLES;
type Environment = Readonly<Record<string, string | undefined>>;

const isIdentity = (text: string): boolean => /^[A-Za-z0-9_.-]{1,64}$/.test(text);
const isPath = (text: string): boolean => /^\/[^\u0000-\u001f\u007f]{1,4095}$/.test(text);

/**
 * Reads the lab's five variables. Everything is judged before anything is opened or connected to.
 *
 * @throws DrydockError LAB_INPUT_MISSING, LAB_TARGET, LAB_INPUT_INVALID; values aren't repeated
 */
export const loadLabConfig = (environment: Environment): LabConfig => {
  const missing = (Object.keys(LAB_VARIABLES) as Name[]).filter(
    (name) => given(environment, name) === null,
  );
  if (missing.length > 0)
    throw new DrydockError(
      "LAB_INPUT_MISSING",
      `not set: ${missing.map((name) => LAB_VARIABLES[name]).join(", ")}`,
      { fix: "Set all five; docs/acceptance.md says what each is. Nothing else is looked at." },
    );
  return {
    target: parseTarget(required(environment, "url")),
    identity: matching(environment, "identity", isIdentity, "1 to 64 of A–Z, a–z, 0–9, _, . and -"),
    keyFile: matching(environment, "keyFile", isPath, "an absolute path"),
    candidate: matching(environment, "candidate", isCandidate, CANDIDATE_FORM),
    attestationFile: matching(environment, "attestationFile", isPath, "an absolute path"),
  };
};

/** Which inputs are set and which would be accepted: booleans, never a value. */
export const labEnvironment = (
  environment: Environment,
): Readonly<Record<string, { readonly set: boolean; readonly valid: boolean }>> =>
  Object.fromEntries(
    (Object.keys(LAB_VARIABLES) as Name[]).map((name) => {
      const value = given(environment, name);
      return [
        LAB_VARIABLES[name],
        { set: value !== null, valid: value !== null && isValid(name, value) },
      ];
    }),
  );

const isValid = (name: Name, value: string): boolean => {
  switch (name) {
    case "url":
      try {
        parseTarget(value);
        return true;
      } catch {
        // Why is said by whoever needs the value; this says whether.
        return false;
      }
    case "identity":
      return isIdentity(value);
    case "candidate":
      return isCandidate(value);
    case "keyFile":
    case "attestationFile":
      return isPath(value);
  }
};

const given = (environment: Environment, name: Name): string | null => {
  const value = environment[LAB_VARIABLES[name]];
  return value === undefined || value === "" ? null : value;
};

const required = (environment: Environment, name: Name): string => given(environment, name) ?? "";

const matching = (
  environment: Environment,
  name: Name,
  isOne: (text: string) => boolean,
  what: string,
): string => {
  const value = required(environment, name);
  if (isOne(value)) return value;
  throw new DrydockError("LAB_INPUT_INVALID", `${LAB_VARIABLES[name]} is not ${what}`, {
    fix: "docs/acceptance.md shows one of each.",
  });
};
