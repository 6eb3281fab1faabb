import {
  GATE_FINDINGS,
  type GateFinding,
  type GateRequest,
  inventoryOf,
  readinessFor,
  WORKBENCH_LABEL,
} from "@drydock/boundary";
import type { Verdict } from "@drydock/evidence";
import { verdictExitCode } from "../../exit.js";
import { visible } from "../../terminal/sanitise.js";
import { chooseStyle } from "../../terminal/style.js";
import { type JsonFlag, print } from "../context.js";

export interface Answer {
  readonly request: GateRequest;
  readonly findings: readonly GateFinding[];
  readonly run: string;
  readonly directory: string;
  readonly verdict: Verdict;
  readonly seed: Uint8Array;
}

type ReportFlags = JsonFlag & { readonly audience: "operator" | "participant" };

const EXIT_SHUT = 1;

export const printAnswer = (answer: Answer, flags: ReportFlags): void => {
  const { request, findings, run, directory, verdict, seed } = answer;
  if (flags.audience === "participant") {
    printReadiness(flags, readinessFor(findings));
    return;
  }
  const report = {
    outcome: outcomeOf(findings),
    ...inventoryOf(request, findings),
    workbenchPolicySource: `label ${WORKBENCH_LABEL} of the management anchor`,
    seed: Buffer.from(seed).toString("hex"),
    ...{ run, evidence: directory, verdict },
  };
  print(flags, report, describe(answer));
};

/** Nothing was judged, and to a participant that is no different. */
export const printUnable = (flags: ReportFlags): number => {
  printReadiness(flags, "needs-operator");
  return EXIT_SHUT;
};

const printReadiness = (flags: JsonFlag, readiness: ReturnType<typeof readinessFor>): void =>
  print(flags, { readiness }, `${readiness}\n`);

const isUnprovisioned = (findings: readonly GateFinding[]): boolean =>
  findings.some(({ code }) => code === "boundary.host-mcp-not-provisioned");

type GateOutcome = "OPEN" | "SHUT" | "NOT_PROVISIONED";

const outcomeOf = (findings: readonly GateFinding[]): GateOutcome => {
  if (isUnprovisioned(findings)) return "NOT_PROVISIONED";
  return findings.length === 0 ? "OPEN" : "SHUT";
};

export const exitCodeOf = (findings: readonly GateFinding[]): number => {
  switch (outcomeOf(findings)) {
    case "OPEN":
      return verdictExitCode("PASS");
    case "SHUT":
      return EXIT_SHUT;
    case "NOT_PROVISIONED":
      return verdictExitCode("NOT_PROVISIONED");
  }
};

const describe = ({ request, findings, directory, verdict }: Answer): string => {
  const style = chooseStyle(process.stdout.isTTY === true, process.env);
  const outcome = outcomeOf(findings);
  const { phase, policy, guest, host, further, findings: listed } = inventoryOf(request, findings);
  return [
    `gate ${phase} ${outcome === "OPEN" ? style.good(outcome) : style.bad(outcome)}`,
    `policy       ${visible(policy.id)}, generation ${policy.generation}, ${policy.digest}`,
    ...guest.enforcements.map(
      ({ authority, rulesetDigest }) => `${authority.padEnd(12)} ${rulesetDigest}`,
    ),
    `outside      ${host === null ? "nothing that the trusted key signed" : host.observationId}`,
    `probes       ${guest.probes.passed} as predicted, ${guest.probes.failed} not`,
    `holders      ${guest.holders.length === 0 ? "none" : guest.holders.map(({ identity }) => visible(identity)).join(", ")}`,
    ...listed.flatMap(({ code, about }) => [
      `finding      ${code}${about === null ? "" : `: ${visible(about)}`}`,
      `             ${GATE_FINDINGS[code].doc}`,
    ]),
    ...(further === 0 ? [] : [`             and ${further} more`]),
    `evidence     ${visible(directory)} ${verdict}`,
    "",
  ].join("\n");
};
