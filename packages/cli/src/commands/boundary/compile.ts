import {
  type CheckReport,
  checkExhaustively,
  describeGround,
  describePacket,
  describePlace,
  type Explanation,
  explain,
  type Files,
  formatIpv4,
  printExplanation,
  printReport,
  printTables,
} from "@drydock/boundary";
import { visible } from "../../terminal/sanitise.js";
import { type JsonFlag, print } from "../context.js";
import { parseAskedFlow } from "./asked-flow.js";
import { type Compiled, type CompileInputs, compileFiles } from "./compiled.js";
import { listingJson, printListing } from "./listing.js";
import { printTruth, truthJson } from "./truth.js";

export interface BoundaryCompileFlags extends JsonFlag, CompileInputs {
  /** Source, destination, protocol and, for tcp and udp, port. */
  readonly explain?: readonly string[];
  readonly check?: boolean;
  readonly nft?: boolean;
  readonly table?: boolean;
}

const EXIT_FINE = 0;
/** The flow is denied, or the rules don't do what plan and policy mean. */
const EXIT_DENIED = 1;

/** `drydock boundary compile`: the rules of a plan and a policy. Needs no engine, changes nothing. */
export const boundaryCompile = (planFile: string, flags: BoundaryCompileFlags): number => {
  const compiled = compileFiles(planFile, flags);
  const files = { plan: visible(planFile), policy: visible(flags.policy ?? "no policy") };
  if (flags.explain !== undefined) return answer(compiled, flags.explain, files, flags);
  if (flags.check === true) return check(compiled, files, flags);
  if (flags.table === true) {
    const table = truthJson(compiled, compiled.nodes);
    print(flags, { table }, printTruth(compiled, compiled.nodes));
    return EXIT_FINE;
  }
  if (flags.nft === true) {
    const nft = compiled.rulesets.map(({ ruleset }) => printTables(ruleset)).join("");
    print(flags, { topology: compiled.topology, nft }, nft);
  } else {
    print(flags, listingJson(compiled), printListing(compiled));
  }
  return EXIT_FINE;
};

const answer = (
  compiled: Compiled,
  asked: readonly string[],
  files: Files,
  flags: JsonFlag,
): number => {
  const { source, destination, service } = parseAskedFlow(compiled, asked);
  const explanation = explain(compiled, compiled.nodes, source, destination, service);
  print(flags, explanationJson(explanation, files), printExplanation(explanation, files));
  return explanation.action === "allow" ? EXIT_FINE : EXIT_DENIED;
};

const explanationJson = (explanation: Explanation, files: Files) => {
  const { action, authority, path, source, destination, service } = explanation;
  return {
    action,
    authority,
    path,
    source: describePlace(source),
    destination:
      "outside" in destination ? formatIpv4(destination.outside) : describePlace(destination),
    ...service,
    asymmetric: explanation.asymmetric,
    words: explanation.words.map(({ ground, says }) => ({
      says,
      kind: ground.kind,
      decides: ground === explanation.deciding,
      because: describeGround(ground, files),
    })),
  };
};

const check = (compiled: Compiled, files: Files, flags: JsonFlag): number => {
  const rulesets = compiled.rulesets.map(({ ruleset }) => ruleset);
  const report = checkExhaustively({ ...compiled, rulesets });
  print(flags, reportJson(report), printReport(report, files));
  return report.ok ? EXIT_FINE : EXIT_DENIED;
};

const reportJson = ({
  ok,
  cells,
  differing,
  differences,
  conflicts,
  gaps,
  advisories,
}: CheckReport) => ({
  ok,
  cells,
  differing,
  differences: differences.map(({ code, authority, packet, expected, ruleset }) => ({
    code,
    authority,
    packet: describePacket(packet),
    expected: expected.action,
    ruleset,
  })),
  conflicts: conflicts.map(({ code, packet, scenario, platform }) => ({
    code,
    packet: describePacket(packet),
    scenario: scenario.action,
    platform: platform.action,
  })),
  gaps,
  advisories: advisories.map(({ code, rule: { owner, name, line } }) => ({
    code,
    owner,
    name,
    line,
  })),
});
