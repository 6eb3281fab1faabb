import { lookup } from "node:dns/promises";
import { isDrydockError, readNamedFile } from "@drydock/evidence";
import {
  createReadClient,
  dryRun,
  labEnvironment,
  loadLabConfig,
  type PreflightInputs,
  parseAttestation,
  pinAddress,
  preflight,
  readCredential,
  readOwnerOnly,
  requireTestCase,
  requireValid,
} from "@drydock/lab";
import { type JsonFlag, print } from "../context.js";

export interface LabTargetFlags {
  /** PEM file of the one authority to trust instead of the system's. */
  readonly ca?: string;
}

/** What a failed preflight had got to, in the names of a report. */
interface Stages {
  lab_provenance: Stage;
  credential_availability: Stage;
  operator_attestation: Stage;
  candidate_resolution: Stage;
}
type Stage = "PASS" | "FAIL" | "NOT_RUN";

/** `drydock lab evidence-env`: which of the five inputs are set, and would be accepted. */
export const labEvidenceEnv = (flags: JsonFlag): number => {
  const told = labEnvironment(process.env);
  const lines = Object.entries(told).map(
    ([name, { set, valid }]) =>
      `${name}  ${set ? "set" : "not set"}${valid === set ? "" : ", not valid"}\n`,
  );
  print(flags, { event: "lab-evidence-env", inputs: told }, lines.join(""));
  return 0;
};

/** `drydock lab preflight` and `dry-run`: one line of JSON, here or, when it fails, on stderr. */
export const labPreflight = async (
  flags: LabTargetFlags & { readonly testCaseId?: string },
): Promise<number> => {
  const stages: Stages = {
    lab_provenance: "NOT_RUN",
    credential_availability: "NOT_RUN",
    operator_attestation: "NOT_RUN",
    candidate_resolution: "NOT_RUN",
  };
  try {
    if (flags.testCaseId !== undefined) requireTestCase(flags.testCaseId);
    const inputs = await inputsOf(flags, stages);
    stages.candidate_resolution = "FAIL";
    const report =
      flags.testCaseId === undefined
        ? { event: "lab-t1-preflight", ...(await preflight(inputs)) }
        : await dryRun(inputs, flags.testCaseId);
    process.stdout.write(`${JSON.stringify(report)}\n`);
    return 0;
  } catch (error) {
    if (!isDrydockError(error)) throw error;
    const { code, message, fix = null } = error;
    const gate = "combined_disposable_lab_safety_gate";
    const failed = { ...stages, [gate]: "FAIL", failure: code, message, fix };
    process.stderr.write(`${JSON.stringify(failed)}\n`);
    return 2;
  }
};

/** Everything local is judged before there is anything that could connect. */
const inputsOf = async ({ ca }: LabTargetFlags, stages: Stages): Promise<PreflightInputs> => {
  const stage = <T>(name: keyof Stages, work: () => T): T => {
    stages[name] = "FAIL";
    const result = work();
    stages[name] = "PASS";
    return result;
  };
  const clock = () => Date.now();
  const config = stage("lab_provenance", () => loadLabConfig(process.env));
  const credential = stage("credential_availability", () => readCredential(config.keyFile));
  const attestation = stage("operator_attestation", () => {
    const found = parseAttestation(readOwnerOnly(config.attestationFile, "attestation"));
    requireValid(found, {
      identity: config.identity,
      candidate: config.candidate,
      now: clock(),
    });
    return found;
  });
  const authority = ca === undefined ? null : readNamedFile(ca).toString("utf8");
  stages.lab_provenance = "FAIL";
  const address = await pinAddress(config.target, addressesOf);
  stages.lab_provenance = "PASS";
  const { host, port } = config.target;
  const read = createReadClient({
    endpoint: { address, port, host, ca: authority, deadlines: DEADLINES },
    credential,
    clock: () => performance.now(),
  });
  return { config, attestation, read, clock };
};

/** The package's lock on its configuration holds a request for a minute; a read has none. */
const DEADLINES = { connectMs: 10_000, answerMs: 30_000 } as const;

const addressesOf = async (name: string): Promise<readonly string[]> =>
  (await lookup(name, { all: true })).map(({ address }) => address);
