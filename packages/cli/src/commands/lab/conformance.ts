import { readFileSync } from "node:fs";
import { basename } from "node:path";
import {
  CONFORMANCE_CHECKS,
  conforms,
  FILE_CHECKS,
  type FileResult,
  parseReport,
} from "@drydock/acceptance";
import { requireRoot } from "@drydock/trial";
import { type Outcome, verdictExitCode } from "../../exit.js";
import { createLab } from "../../sdk/create-lab.js";
import type { ExecResult, Lab, LabReport } from "../../sdk/types.js";
import { createProgress, SILENT } from "../../terminal/progress.js";
import { visible } from "../../terminal/sanitise.js";
import { chooseStyle, type Style } from "../../terminal/style.js";
import { type JsonFlag, print } from "../context.js";
import { PHASE_TEXT } from "../phase-text.js";
import { outcomeOf } from "../summary.js";
import { type AdapterFile, readAdapterFile } from "./adapter-file.js";
import { guestProgram } from "./guest-program.js";

export interface LabConformanceFlags extends JsonFlag {
  readonly image: string;
}

/** The one object of `drydock lab conformance --json`. */
interface Conformance {
  readonly adapter: { readonly file: string; readonly digest: string };
  readonly conforms: boolean;
  /** The adapter's own process says so: nobody outside of the guest saw it. */
  readonly witness: "GUEST_ASSERTED";
  readonly results: readonly FileResult[];
  /** Why there is no report, when there is none. */
  readonly ended: string | null;
  readonly run: string;
  readonly evidence: string;
  /** Of the guest that it ran in. */
  readonly verdict: Outcome;
}

/**
 * The kit takes seconds. A compiler that starts on an emulated processor of a busy machine was seen
 * to take a minute and a half; what takes this long is stuck, or stays on purpose.
 */
const WITHIN_MS = 360_000;

/**
 * `drydock lab conformance`: the adapter and the kit go into a fresh guest, and a report comes out.
 * The adapter is somebody's code, so nothing of it runs here.
 */
export const labConformance = async (path: string, flags: LabConformanceFlags): Promise<number> => {
  requireRoot("starting a virtual machine behind its walls");
  const adapter = readAdapterFile(path);
  const style = chooseStyle(process.stderr.isTTY === true, process.env);
  const progress = flags.json === true ? SILENT : createProgress(process.stderr, style);
  let ran: ExecResult | null;
  let report: LabReport;
  try {
    const lab = await createLab({
      image: flags.image,
      limits: { wall: "10m", output: "1MiB" },
      onPhase: (phase) => {
        const text = PHASE_TEXT[phase];
        if (text !== undefined) progress.step(text);
      },
    });
    try {
      ran = await runKit(lab, adapter);
    } finally {
      report = await lab.close();
    }
  } finally {
    progress.clear();
  }
  const results = (ran === null ? null : parseReport(ran.stdout)) ?? [];
  const verdict = outcomeOf(report);
  const conformance: Conformance = {
    adapter: { file: basename(path), digest: adapter.digest },
    // A guest that wasn't contained, or that nobody can tell of, has shown nothing.
    conforms: verdict === "PASS" && conforms(results),
    witness: "GUEST_ASSERTED",
    results,
    ended: results.length > 0 ? null : ran === null ? report.ending : endOf(ran),
    run: report.run,
    evidence: report.evidence,
    verdict,
  };
  print(
    flags,
    conformance,
    describe(conformance, chooseStyle(process.stdout.isTTY === true, process.env)),
  );
  return verdict === "PASS" ? (conformance.conforms ? 0 : 1) : verdictExitCode(verdict);
};

/** Null when the run ended under it; the run's report says how. */
const runKit = async (lab: Lab, { bytes, compiler }: AdapterFile): Promise<ExecResult | null> => {
  await lab.writeFile("/work/kit.mjs", readFileSync(guestProgram("conformance.mjs")));
  await lab.writeFile("/work/adapter", bytes);
  if (compiler !== null) await lab.writeFile("/work/typescript.cjs", compiler);
  const argv = [
    ...["node", "--no-warnings", "--experimental-vm-modules", "kit.mjs", "adapter"],
    ...(compiler === null ? [] : ["/work/typescript.cjs"]),
  ];
  try {
    return await lab.exec(argv, { signal: AbortSignal.timeout(WITHIN_MS) });
  } catch {
    // As with `drydock run`: what ended the command is in the report.
    return null;
  }
};

const MAX_SHOWN = 500;

const endOf = ({ exit, stderr }: ExecResult): string => {
  const how = exit.kind === "code" ? `status ${exit.code}` : `signal ${exit.signal}`;
  return `${how}: ${visible(stderr.trim(), MAX_SHOWN)}`;
};

const DOCS: Readonly<Record<string, string>> = { ...FILE_CHECKS, ...CONFORMANCE_CHECKS };

const describe = (
  { adapter, results, ended, conforms: yes, verdict, evidence }: Conformance,
  style: Style,
): string => {
  const lines = results.map(({ check, ok, found }) =>
    ok
      ? `${style.good("ok  ")} ${check.padEnd(26)} ${style.dim(DOCS[check] ?? "")}`
      : `${style.bad("FAIL")} ${check.padEnd(26)} ${visible(found ?? "", MAX_SHOWN)}`,
  );
  const end = yes
    ? style.good("conforms")
    : style.bad(verdict === "PASS" ? "doesn't conform" : `shows nothing: its run is ${verdict}`);
  return [
    ...lines,
    ...(ended === null ? [] : [`${style.bad("FAIL")} no report: ${ended}`]),
    `${adapter.file} ${end}  ${adapter.digest}`,
    style.dim(`The guest says so, nobody else was there; evidence of the run: ${evidence}`),
    "",
  ].join("\n");
};
