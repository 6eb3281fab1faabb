import { DrydockError, quote } from "@drydock/evidence";
import type { RunFlags } from "./flags.js";

const ID = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}$/;

/**
 * What no single place of a specification could say: a flag that took `--` for its value, or that
 * says nothing without another one.
 *
 * @throws DrydockError SPEC_INVALID
 */
export const checkFlags = (flags: RunFlags): void => {
  for (const [name, value] of Object.entries(flags))
    if (value === "--" || (Array.isArray(value) && value.includes("--")))
      throw invalid(`${flagName(name)} has no value`, "Give it one before the --.");
  for (const name of ["ref", "workingTree"] as const)
    if (flags[name] !== undefined && flags.source === undefined)
      throw invalid(
        `${flagName(name)} says nothing without --source`,
        "Add --source DIR, or drop it.",
      );
  if (flags.key !== undefined && !ID.test(flags.key))
    throw invalid(
      `--key ${quote(flags.key)} is not a key`,
      "Use 1 to 128 of A-Z a-z 0-9 _ . : - and begin with a letter or a digit.",
    );
};

const invalid = (message: string, fix: string): DrydockError =>
  new DrydockError("SPEC_INVALID", message, { fix });

/** `maxArtifacts` → `--max-artifacts`. */
export const flagName = (name: string): string =>
  `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
