import type { LabManifest } from "../manifest/lab.js";
import type { Gate } from "./gate.js";
import { is, need, never } from "./patterns.js";

export type LabGateOptions = Pick<LabManifest, "repeat" | "scenarios">;

const target: Gate = {
  id: "LAB-TARGET",
  title: "The supervisor began, on what the manifest names",
  require: [need("lab.target", [is("decision", "stand-in")])],
  forbid: [],
};

/** One for each name, so that a verdict says which scenario it is about. */
const scenario = (name: string, { repeat, scenarios }: LabGateOptions): Gate => ({
  id: `LAB-SCENARIO:${name}`,
  title: "Every case of it was played as often as planned, and all of its oracle held",
  require: scenarios
    .filter((one) => one.name === name)
    .map(({ variant }) => ({
      ...need("lab.scenario", [
        is("decision", "passed"),
        is("measurements.name", name),
        is("measurements.variant", variant ?? ""),
      ]),
      // More than were planned are of another run.
      ...{ min: repeat, max: repeat },
    })),
  forbid: [never("lab.scenario", [is("decision", "failed"), is("measurements.name", name)])],
});

const exit: Gate = {
  id: "LAB-EXIT",
  title: "The permission was gone, the appliance read-only, and keys and stores were destroyed",
  require: [need("lab.exit", [is("decision", "confirmed")])],
  forbid: [never("lab.exit", [is("decision", "unconfirmed")])],
};

const values: Gate = {
  id: "LAB-VALUES",
  title: "No planted value, credential or body is in anything that was kept",
  require: [need("lab.scan", [is("decision", "clean")])],
  forbid: [
    never("lab.scan", [is("decision", "found")]),
    never("lab.scan", [is("decision", "failed")]),
  ],
};

const end: Gate = {
  id: "LAB-END",
  title: "The rehearsal came to its end by itself",
  require: [need("run.end", [is("decision", "completed")])],
  forbid: [],
};

/** Gates of a rehearsal. They go into its manifest as data. */
export const labGates = (options: LabGateOptions): readonly Gate[] => {
  const names = new Set(options.scenarios.map(({ name }) => name));
  return [target, ...[...names].map((name) => scenario(name, options)), exit, values, end];
};
