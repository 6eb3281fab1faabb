import { isDrydockError } from "../errors.js";
import { finding } from "../finding.js";
import type { RunDirectory } from "../run/directory.js";
import { ARTIFACTS_FOLDER, INCOMPLETE_FILE, LOGS_FOLDER } from "../run/layout.js";
import type { VerifyReport } from "./options.js";
import { isMarkedIncomplete } from "./signed-verdict.js";

const FOLDERS: readonly string[] = [LOGS_FOLDER, ARTIFACTS_FOLDER];

/**
 * The report on a run that was given up before its inputs were sealed, null for any other. There is
 * nothing that could be broken: the directory holds the marker and empty files. As soon as one byte
 * of a log, a verdict or an artifact is there, a missing manifest is a finding like any other.
 */
export const unsealedReport = (directory: RunDirectory): VerifyReport | null => {
  const names = directory.list("") ?? [];
  const expected = names.every((name) => name === INCOMPLETE_FILE || FOLDERS.includes(name));
  if (!expected || !isMarkedIncomplete(directory)) return null;
  if (!FOLDERS.every((folder) => isEmpty(directory, folder))) return null;
  return {
    ok: false,
    integrity: "intact",
    completeness: "incomplete",
    anchored: false,
    verdict: "INCOMPLETE",
    run: null,
    findings: [
      finding(
        "RUN_MARKED_INCOMPLETE",
        INCOMPLETE_FILE,
        null,
        "the run was given up before its inputs were sealed",
      ),
    ],
  };
};

/** What isn't a folder of plain, empty files is something. */
const isEmpty = (directory: RunDirectory, folder: string): boolean => {
  try {
    return (directory.list(folder) ?? []).every(
      (name) => directory.read(`${folder}/${name}`, 0) !== null,
    );
  } catch (error) {
    if (isDrydockError(error) && error.code === "FILE_UNSAFE") return false;
    throw error;
  }
};
