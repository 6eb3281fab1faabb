import type { ScenarioReport } from "../scenario/index.js";
import {
  ABOUT_A_REAL_APPLIANCE,
  type Rehearsed,
  reasonsOf,
  titleOf,
  unplayed,
} from "./document.js";

/**
 * JUnit's XML as continuous integrations read it: one suite, a test for each scenario that was
 * played, for each that wasn't, and for each part of the exit.
 */
export const acceptanceJunit = (rehearsed: Rehearsed): string => {
  const { run, created, command, adapter, report } = rehearsed;
  const { target, exit, scenarios, unexpected } = report;
  const cases: readonly Case[] = [
    ...scenarios.map(caseOf),
    ...unplayed(rehearsed).map(
      (planned): Case => ({
        suite: "scenario",
        name: titleOf(planned),
        ms: 0,
        problem: {
          kind: "error",
          type: unexpected?.code ?? "NOT_PLAYED",
          messages: ["not played"],
        },
      }),
    ),
    exitCase("the permission is gone", exit.permissionRevoked),
    exitCase("the appliance is read-only", exit.readOnlyConfirmed),
  ];
  const count = (kind: Problem["kind"]): string =>
    `${cases.filter(({ problem }) => problem?.kind === kind).length}`;
  const totals = {
    ...{ tests: `${cases.length}`, failures: count("failure"), errors: count("error") },
    skipped: "0",
    time: seconds(cases.reduce((sum, { ms }) => sum + ms, 0)),
  };
  const properties = {
    ...{ run, command, adapter: adapter.name, "adapter.digest": adapter.digest },
    ...{ "target.kind": target.kind, "target.digest": target.digest ?? "" },
    ...{ authorises: report.authorises, "real-appliance": ABOUT_A_REAL_APPLIANCE },
  };
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: "drydock lab accept", ...totals })}>`,
    `<testsuite${attributes({ name: "drydock lab accept", ...totals, timestamp: created.slice(0, 19) })}>`,
    "<properties>",
    ...Object.entries(properties).map(
      ([name, value]) => `<property${attributes({ name, value })}/>`,
    ),
    "</properties>",
    ...cases.map(caseElement),
    "</testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
};

interface Problem {
  /** An error is something that kept the test from being one. */
  readonly kind: "failure" | "error";
  readonly type: string;
  readonly messages: readonly string[];
}

interface Case {
  readonly suite: "scenario" | "exit";
  readonly name: string;
  readonly ms: number;
  readonly problem: Problem | null;
}

const caseOf = (scenario: ScenarioReport): Case => {
  const { passed, observed, unexpected, durationMs: ms } = scenario;
  const isError = observed === null;
  const type = unexpected?.code ?? "ORACLE";
  const problem = passed
    ? null
    : ({ kind: isError ? "error" : "failure", type, messages: reasonsOf(scenario) } as const);
  return { suite: "scenario", name: titleOf(scenario), ms, problem };
};

const exitCase = (name: string, confirmed: boolean): Case => ({
  ...{ suite: "exit", name, ms: 0 },
  problem: confirmed
    ? null
    : { kind: "failure", type: "EXIT_UNCONFIRMED", messages: ["not confirmed"] },
});

const caseElement = ({ suite, name, ms, problem }: Case): string => {
  const start = `<testcase${attributes({ classname: `drydock.lab.${suite}`, name, time: seconds(ms) })}`;
  if (problem === null) return `${start}/>`;
  const { kind, type, messages } = problem;
  const message = messages[0] ?? type;
  return `${start}><${kind}${attributes({ message, type })}>${escaped(messages.join("\n"))}</${kind}></testcase>`;
};

const seconds = (ms: number): string => (ms / 1000).toFixed(3);

const attributes = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([name, value]) => ` ${name}="${escaped(value).replace(/[\t\r\n]/g, spelled)}"`)
    .join("");

/** What XML 1.0 §2.2 has no character for can't be escaped either. */
const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd")
    .replace(/[&<>"'\r]/g, spelled);

/** A line break in an attribute would be read as a space, and a carriage return as a line break. */
const spelled = (character: string): string => `&#${character.charCodeAt(0)};`;
