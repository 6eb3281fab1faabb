import assert from "node:assert/strict";
import type { Summary } from "../commands/summary.js";
import type { Ended } from "./home.js";

/** The JSON object that `run --json` ends with. */
export const summaryOf = ({ stdout, stderr }: Ended): Summary => {
  const line = stdout.trimEnd().split("\n").at(-1) ?? "";
  assert.ok(line.startsWith("{"), `no JSON object: ${stdout}\n${stderr}`);
  return JSON.parse(line) as Summary;
};

/** A summary's codes of findings. */
export const codesOf = ({ findings }: Summary): readonly string[] =>
  findings.map(({ code }) => code);
