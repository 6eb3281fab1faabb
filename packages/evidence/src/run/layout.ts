import type { Role } from "../record/vocabulary.js";

/** Names in a run directory, format version 1. */
export const MANIFEST_FILE = "manifest.json";
export const VERDICT_FILE = "verdict.dsse.json";
export const ARTIFACTS_FILE = "artifacts/artifacts.json";
/** Left by whoever cleaned up after a dead controller. Unsigned: it can only lower a verdict. */
export const INCOMPLETE_FILE = "incomplete.json";
export const LOGS_FOLDER = "logs";
export const ARTIFACTS_FOLDER = "artifacts";

export const logFile = (role: Role): string => `${LOGS_FOLDER}/${role}.jsonl`;
export const checkpointFile = (role: Role): string => `${LOGS_FOLDER}/${role}.checkpoint`;
