import { existsSync } from "node:fs";
import { homedir } from "node:os";
import {
  DrydockError,
  type Finding,
  isDrydockError,
  isLogDirectory,
  type LogReport,
  MAX_LOG_FILE_BYTES,
  parseCheckpoint,
  readNamedFile,
  type VerifyReport,
  verifyLogDirectory,
  verifyRun,
} from "@drydock/evidence";
import {
  journalPaths,
  layoutOf,
  loadControllerKey,
  loadTrust,
  stateDirectories,
} from "@drydock/trial";
import { verdictExitCode } from "../exit.js";
import { visible } from "../terminal/sanitise.js";
import { chooseStyle } from "../terminal/style.js";
import { gatesToShow } from "./gates-to-show.js";

export interface VerifyFlags {
  readonly trust?: string;
  readonly journal?: string;
  readonly expect?: string;
  readonly rederive?: boolean;
  readonly json?: boolean;
}

/** `drydock verify`: needs neither network nor the machine that ran the trial. */
export const verifyCommand = (path: string, flags: VerifyFlags): number =>
  isLogDirectory(path) ? verifyLog(path, flags) : verifyEvidence(path, flags);

const verifyEvidence = (path: string, flags: VerifyFlags): number => {
  const layout = layoutOf(stateDirectories(process.env, homedir()).state);
  const report = verifyRun(path, {
    trust: naming(flags.trust, "trust file", () => loadTrust(flags.trust ?? layout.trust)),
    ...journalOption(flags, layout),
    ...(flags.expect === undefined ? {} : { expect: readCheckpoint(flags.expect) }),
    rederive: true,
    now: new Date().toISOString(),
  });
  const listed = { ...report, gates: gatesToShow(report.gates ?? [], flags.rederive === true) };
  process.stdout.write(
    flags.json === true ? `${JSON.stringify(toJson(listed))}\n` : describe(listed),
  );
  if (report.ok) return verdictExitCode(report.verdict);
  return report.integrity === "broken" ? verdictExitCode("INVALID") : verdictExitCode("INCOMPLETE");
};

/** The log of a broker that ran on its own: there is neither manifest nor verdict. */
const verifyLog = (path: string, flags: VerifyFlags): number => {
  if (flags.journal !== undefined || flags.expect !== undefined || flags.rederive === true)
    throw new DrydockError("USAGE", `${path} is a broker's log, without journal and verdict`, {
      fix: "Give --trust alone: the trust file that the broker printed when it started.",
    });
  const { trust } = layoutOf(stateDirectories(process.env, homedir()).state);
  const report = verifyLogDirectory(path, {
    trust: naming(flags.trust, "trust file", () => loadTrust(flags.trust ?? trust)),
    now: new Date().toISOString(),
  });
  process.stdout.write(flags.json === true ? `${JSON.stringify(report)}\n` : describeLog(report));
  if (report.ok) return 0;
  return verdictExitCode(report.integrity === "broken" ? "INVALID" : "INCOMPLETE");
};

const describeLog = (report: LogReport): string => {
  const style = chooseStyle(process.stdout.isTTY === true, process.env);
  const good = (ok: boolean, text: string): string => (ok ? style.good(text) : style.bad(text));
  return [
    `log           ${visible(report.run ?? "unknown")}, ${report.records} signed records`,
    `integrity     ${good(report.integrity === "intact", report.integrity)}`,
    `completeness  ${good(report.completeness === "complete", report.completeness)}`,
    ...findingLines(report.findings),
    "",
  ].join("\n");
};

const findingLines = (findings: readonly Finding[]): readonly string[] => {
  const style = chooseStyle(process.stdout.isTTY === true, process.env);
  return findings.map(
    ({ message, ...found }) =>
      `${style.warn("finding")}       ${placed(found)}: ${visible(message)}`,
  );
};

/** What is said of the evidence as a whole has no place in it. */
const placed = ({ code, file, at }: Pick<Finding, "code" | "file" | "at">): string =>
  [
    code,
    ...(file === "." ? [] : [visible(file)]),
    ...(at === null ? [] : [`(${visible(at)})`]),
  ].join(" ");

const journalOption = (flags: VerifyFlags, layout: ReturnType<typeof layoutOf>) => {
  const paths =
    flags.journal !== undefined
      ? { log: flags.journal, checkpoints: flags.journal.replace(/\.jsonl$/, ".checkpoint") }
      : flags.trust === undefined && existsSync(layout.controllerKey)
        ? journalPaths(layout, loadControllerKey(layout).public.keyId)
        : null;
  // Named, it has to be there; this installation's may not be yet.
  if (paths === null || (flags.journal === undefined && !existsSync(paths.log))) return {};
  return {
    journal: {
      log: [readNamedFile(paths.log, { maxBytes: MAX_LOG_FILE_BYTES })],
      checkpoints: readText(paths.checkpoints),
    },
  };
};

/** A checkpoint that is none is a slip in what was named, not a finding about the run. */
const readCheckpoint = (path: string): string => {
  const text = readText(path);
  naming(path, "checkpoint", () => parseCheckpoint(text));
  return text;
};

/** Errors of a parser, with the file that a user named. */
const naming = <T>(path: string | undefined, what: string, read: () => T): T => {
  try {
    return read();
  } catch (cause) {
    if (path === undefined || !isDrydockError(cause) || cause.code === "TRUST_MISSING") throw cause;
    throw new DrydockError(cause.code, `${path} is no ${what}: ${cause.message}`, {
      fix: `Name a ${what}: for one of this installation see \`drydock keys export\` or a log's .checkpoint file.`,
      cause,
    });
  }
};

/** A journal has as many signatures as it has runs, so its checkpoints are as long as a log. */
const readText = (path: string): string =>
  readNamedFile(path, { maxBytes: MAX_LOG_FILE_BYTES }).toString("utf8");

const toJson = ({
  ok,
  integrity,
  completeness,
  anchored,
  verdict,
  run,
  gates,
  findings,
}: VerifyReport) => ({
  ok,
  integrity,
  completeness,
  anchored,
  verdict,
  run,
  ...(gates === undefined || gates.length === 0 ? {} : { gates }),
  findings,
});

const describe = (report: VerifyReport): string => {
  const style = chooseStyle(process.stdout.isTTY === true, process.env);
  const good = (ok: boolean, text: string): string => (ok ? style.good(text) : style.bad(text));
  return [
    `run           ${visible(report.run ?? "unknown")}`,
    `integrity     ${good(report.integrity === "intact", report.integrity)}`,
    `completeness  ${good(report.completeness === "complete", report.completeness)}`,
    `anchored      ${report.anchored ? style.good("yes") : style.warn("no: nothing outside the signer vouches for this run")}`,
    `verdict       ${good(report.ok && report.verdict === "PASS", report.verdict)}`,
    ...(report.gates ?? []).map(({ id, result }) => `  ${result.padEnd(10)} ${visible(id)}`),
    ...findingLines(report.findings),
    "",
  ].join("\n");
};
