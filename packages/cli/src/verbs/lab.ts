import type { Command } from "commander";
import type { JsonFlag } from "../commands/context.js";
import type { LabConformanceFlags } from "../commands/lab/conformance.js";
import type { LabTargetFlags } from "../commands/lab/preflight.js";
import { addAcceptVerb } from "./lab-accept.js";
import { addApplianceVerb } from "./lab-appliance.js";
import { json, type SetExit } from "./options.js";

const preflightHelp = (example: string): string => `
Reads PFSENSE_LAB_API_URL, _IDENTITY, _API_KEY_FILE, _CANDIDATE and _ATTESTATION_FILE and nothing
else; docs/acceptance.md says what each is, and lists every printed field. The result is one line of
JSON, with --json or without. It vouches for one disposable lab and authorises nothing.
Exit status: 0 it passed, 2 it didn't, or the command line is wrong; then stderr says where.

Example:
  ${example}`;

/** `drydock lab …`: rehearse a change to an appliance. */
export const addLabVerbs = (program: Command, setExit: SetExit): void => {
  const lab = program
    .command("lab")
    .description("rehearse a change to an appliance")
    .addHelpText("after", "\nExample:\n  drydock lab accept --output ./acceptance");
  lab
    .command("evidence-env")
    .description("which of the five lab inputs are set: booleans, never a value")
    .addOption(json())
    .addHelpText(
      "after",
      `
Exit status: 0 whatever is set, 2 wrong command line.

Example:
  drydock lab evidence-env --json`,
    )
    .action(async (flags: JsonFlag) => {
      const { labEvidenceEnv } = await import("../commands/lab/preflight.js");
      setExit(labEvidenceEnv(flags));
    });
  lab
    .command("preflight")
    .description("whether the candidate is one synthetic alias that nothing names: GET alone")
    .option("--ca <file>", "trust this authority alone (PEM) instead of the system's")
    .addOption(json())
    .addHelpText("after", preflightHelp("drydock lab preflight --ca FILES/ca.pem"))
    .action(async (flags: LabTargetFlags) => {
      const { labPreflight } = await import("../commands/lab/preflight.js");
      setExit(await labPreflight(flags));
    });
  lab
    .command("dry-run")
    .description("a preflight, and what would be sent after it; nothing is")
    .requiredOption("--test-case-id <id>", "what the report calls it")
    .option("--ca <file>", "trust this authority alone (PEM) instead of the system's")
    .addOption(json())
    .addHelpText(
      "after",
      preflightHelp("drydock lab dry-run --test-case-id adr026-review --ca FILES/ca.pem"),
    )
    .action(async (flags: LabTargetFlags & { readonly testCaseId: string }) => {
      const { labPreflight } = await import("../commands/lab/preflight.js");
      setExit(await labPreflight(flags));
    });
  addAcceptVerb(lab, setExit);
  addApplianceVerb(lab, setExit);
  lab
    .command("conformance")
    .description("what holds of every capability adapter, tried on this one in a fresh guest")
    .argument("<adapter>", "one ES module, .js or .ts, that exports `adapter` and `specimen`")
    .option("--image <name>", "image with Node to run it in", "base")
    .addOption(json())
    .addHelpText(
      "after",
      `
The adapter is somebody's code: it runs in a virtual machine without a network, and never here.
docs/acceptance.md says what is checked. A .ts file is compiled there, by the typescript that is
installed beside it.
Exit status: 0 it conforms, 1 it doesn't, 2 wrong command line or file, 6 no machine could be
started; 3, 4 or 5 when the run itself is INVALID, INCOMPLETE or UNCERTAIN.

Example:
  drydock lab conformance scenarios/adapter/notice.ts`,
    )
    .action(async (adapter: string, flags: LabConformanceFlags) => {
      const { labConformance } = await import("../commands/lab/conformance.js");
      setExit(await labConformance(adapter, flags));
    });
};
