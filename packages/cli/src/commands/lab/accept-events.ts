import type { Event, JsonValue } from "@drydock/evidence";
import type {
  RehearsalEvent,
  Scan,
  ScenarioRecord,
  ScenarioReport,
  SupervisedExit,
} from "@drydock/lab";

/** What is recorded of a rehearsal as it is told. */
export const rehearsalEvents = (event: RehearsalEvent): readonly Event[] => {
  switch (event.type) {
    case "began": {
      const { digest, planned } = event;
      return [{ type: "lab.target", decision: "stand-in", measurements: { digest, planned } }];
    }
    case "scenario":
      return scenarioEvents(event.report);
    case "exit":
      // The report has it, also where nobody told it.
      return [];
  }
};

const scenarioEvents = (report: ScenarioReport): readonly Event[] => {
  const { name, variant, passed, observed, failures, faultTook, unexpected, durationMs } = report;
  return [
    ...report.records.map((record) => recordEvent(name, record)),
    {
      type: "lab.scenario",
      decision: passed ? "passed" : "failed",
      measurements: {
        ...{ name, variant: variant ?? "", state: observed?.state ?? "UNKNOWN" },
        ...{ failures, durationMs: Math.round(durationMs) },
        ...(faultTook === null ? {} : { faultTook }),
        ...(unexpected === null ? {} : { unexpected: { ...unexpected } }),
      },
    },
  ];
};

const recordEvent = (scenario: string, record: ScenarioRecord): Event => {
  switch (record.kind) {
    case "exchange": {
      const { phase, method, path, outcome, delivered, copies, atMs, took } = record;
      return {
        type: "lab.exchange",
        measurements: {
          ...{ scenario, phase, method, path, outcome, delivered, copies, atMs, took },
          ...given({ status: record.status, durationMs: record.durationMs }),
        },
      };
    }
    case "transition": {
      const { contractId: contract, event, from, to, stateVersion: version, at } = record;
      return {
        type: "lab.transition",
        measurements: {
          ...{ scenario, contract, event, to, version, at },
          intent: prefixed(record.intentDigest),
          identity: prefixed(record.targetIdentityDigest),
          ...given({ from, failure: record.failureClass, exception: record.exceptionClass }),
          ...(record.evidenceDigest === null ? {} : { evidence: prefixed(record.evidenceDigest) }),
        },
      };
    }
    case "history": {
      const { before, digest } = record;
      return {
        type: "lab.history",
        measurements: { scenario, before, digest: prefixed(digest) },
      };
    }
    case "configuration": {
      const { when, digest } = record;
      return { type: "lab.configuration", measurements: { scenario, when, digest } };
    }
  }
};

/** Contracts have digests without the name of their function. */
const prefixed = (digest: string): string => `sha256:${digest}`;

const given = (values: Readonly<Record<string, JsonValue>>): Readonly<Record<string, JsonValue>> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));

/** Every part of it, and no store that somebody would still have to look into. */
const isExitConfirmed = (exit: SupervisedExit): boolean =>
  exit.permissionRevoked &&
  exit.readOnlyConfirmed &&
  exit.destroyed &&
  exit.unreadable.length === 0;

export const exitEvent = (exit: SupervisedExit): Event => {
  const { permissionRevoked, readOnlyConfirmed, destroyed, cause, revocationMs } = exit;
  const { contracts, unreadable, applianceAsBefore, dateExpiry } = exit;
  return {
    type: "lab.exit",
    decision: isExitConfirmed(exit) ? "confirmed" : "unconfirmed",
    measurements: {
      ...{ permissionRevoked, readOnlyConfirmed, destroyed, cause, revocationMs, dateExpiry },
      contracts: contracts.map((contract) => ({ ...contract })),
      unreadable: unreadable.map((store) => ({ ...store })),
      ...given({ applianceAsBefore }),
    },
  };
};

const OF_OURS =
  /(^|\/)(manifest\.json|controller\.(jsonl|checkpoint)|artifacts\.json|[0-9a-f]{64}|exit-\w{6}\.json)$/;

/** The first say enough: whatever has one isn't kept. */
const MAX_SIGHTINGS = 16;

/** Null: nobody could search, so nobody can say that there is none. */
export const scanEvent = (scan: Scan | null): Event => {
  if (scan === null)
    return {
      type: "lab.scan",
      decision: "failed",
      measurements: { files: 0, bytes: 0, values: 0, found: [] },
    };
  const { files, bytes, values, found } = scan;
  return {
    type: "lab.scan",
    decision: found.length === 0 ? "clean" : "found",
    measurements: {
      ...{ files, bytes, values },
      found: found.slice(0, MAX_SIGHTINGS).map(({ file, ...sighting }) => ({
        ...sighting,
        // A name of nobody's making may be what has it.
        file: OF_OURS.test(file) ? file : "another",
      })),
    },
  };
};
