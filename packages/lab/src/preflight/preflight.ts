import { pfsenseAliasDescription, type ReadClient } from "@drydock/acceptance";
import { DrydockError, isDrydockError } from "@drydock/evidence";
import { type Attestation, requireValid } from "../attestation/index.js";
import type { LabConfig } from "../configuration/index.js";
import { countReferences } from "./references.js";
import { ROW_LIMIT, rowsOf } from "./rows.js";
import { SURFACES, UNCOVERED_PLACES, UNCOVERED_SURFACES } from "./surfaces.js";

export interface PreflightInputs {
  readonly config: LabConfig;
  readonly attestation: Attestation;
  readonly read: ReadClient;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

export interface SurfaceCheck {
  readonly surface: string;
  readonly complete: true;
  readonly references_found: 0;
}

/**
 * What a preflight says, in the names of its JSON. It vouches for one disposable lab and the next
 * few minutes; nothing accepts it as leave to write, or as proof of which appliance this is.
 */
export interface PreflightReport {
  readonly lab_provenance: "PASS";
  readonly credential_availability: "PASS";
  readonly candidate_resolution: "PASS";
  readonly lab_identity: string;
  readonly candidate: {
    readonly name: string;
    readonly numeric_locator: number;
    readonly type: string;
    readonly member_count: number;
    readonly detail_count: number;
  };
  readonly automatic_dependency_checks: readonly SurfaceCheck[];
  readonly uncovered_dependency_surfaces: readonly string[];
  readonly uncovered_places: readonly string[];
  readonly operator_attestation: "VALID";
  readonly attestation_expires_at: string;
  readonly combined_disposable_lab_safety_gate: "PASS";
  readonly global_dependency_proof: false;
}

/**
 * Looks, by GET alone, whether the candidate is one synthetic alias that nothing names. Whatever is
 * refused, malformed or perhaps cut counts against it; the attestation has to hold before the first
 * query and after the last, and overrides nothing that was found.
 *
 * @throws DrydockError LAB_ATTESTATION_…, LAB_CANDIDATE, LAB_QUERY, LAB_REFERENCED
 */
export const preflight = async ({
  config,
  attestation,
  read,
  clock,
}: PreflightInputs): Promise<PreflightReport> => {
  const { identity, candidate: name } = config;
  const attested = (): void =>
    requireValid(attestation, { identity, candidate: name, now: clock() });
  attested();
  const candidate = await resolve(read, name);
  const checks: SurfaceCheck[] = [];
  for (const surface of SURFACES) checks.push(await check(read, name, surface));
  attested();
  return {
    lab_provenance: "PASS",
    credential_availability: "PASS",
    candidate_resolution: "PASS",
    lab_identity: identity,
    candidate: {
      name: candidate.name,
      numeric_locator: candidate.id,
      type: candidate.type,
      member_count: candidate.address.length,
      detail_count: candidate.detail.length,
    },
    automatic_dependency_checks: checks,
    uncovered_dependency_surfaces: UNCOVERED_SURFACES,
    uncovered_places: UNCOVERED_PLACES,
    operator_attestation: "VALID",
    attestation_expires_at: new Date(attestation.expiresAt).toISOString(),
    combined_disposable_lab_safety_gate: "PASS",
    global_dependency_proof: false,
  };
};

/** As the adapter finds it: exactly one alias of this very name, of a kind that it may change. */
const resolve = async (read: ReadClient, name: string) => {
  try {
    return await pfsenseAliasDescription.readTarget(read, { alias_name: name });
  } catch (error) {
    if (!isDrydockError(error)) throw error;
    throw new DrydockError("LAB_CANDIDATE", `the candidate isn't established: ${error.code}`, {
      fix: "Create one synthetic alias of this name (host, network or port) and look again.",
      cause: error,
    });
  }
};

const check = async (
  read: ReadClient,
  name: string,
  { surface, path, prose }: (typeof SURFACES)[number],
): Promise<SurfaceCheck> => {
  const answer = await ask(read, path, surface);
  const rows = rowsOf(answer);
  if (typeof rows === "string") throw unread(surface, rows);
  if (countReferences(rows, name, prose) > 0)
    throw new DrydockError("LAB_REFERENCED", `the candidate is named in ${surface}`, {
      fix: "Take an alias that nothing uses: a description that is changed may be one that is read.",
    });
  return { surface, complete: true, references_found: 0 };
};

const ask = async (read: ReadClient, path: (typeof SURFACES)[number]["path"], surface: string) => {
  try {
    return await read.get(path, { limit: ROW_LIMIT });
  } catch (error) {
    throw unread(surface, isDrydockError(error) ? error.code : "UNKNOWN", error);
  }
};

const unread = (surface: string, why: string, cause?: unknown): DrydockError =>
  new DrydockError("LAB_QUERY", `${surface} could not be read whole: ${why}`, {
    fix: "Let the lab's identity read it, with fewer than 500 objects, and look again.",
    cause,
  });
