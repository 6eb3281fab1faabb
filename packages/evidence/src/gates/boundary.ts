import type { BoundaryManifest } from "../manifest/boundary.js";
import type { Gate } from "./gate.js";
import { is, need, never, oneOf } from "./patterns.js";

export type BoundaryGateOptions = Pick<BoundaryManifest, "phase" | "rulesets" | "topology">;

/** Anything but a look from outside that was signed, fresh and of this very appliance. */
const NOT_FRESH = ["future", "invalid", "mismatch", "missing", "stale", "untrusted"] as const;

const EXPECTATIONS = ["reachable", "blocked"] as const;

const isOfGate = (phase: BoundaryManifest["phase"]): boolean =>
  phase !== "apply" && phase !== "watch";

const readback = ({ phase, rulesets, topology }: BoundaryGateOptions): Gate => ({
  id: "BOUNDARY-READBACK",
  title: "The kernel holds each authority's rules, word for word and in their order",
  require: rulesets.map(({ authority, digest }) =>
    need("boundary.readback", [
      is("decision", "match"),
      is("measurements.authority", authority),
      // Ports get their names when containers start: before an apply nobody can say the digest, nor
      // how often they will start again while it is watched.
      ...(!isOfGate(phase) && topology.kind === "planned"
        ? []
        : [is("measurements.digest", digest)]),
    ]),
  ),
  forbid: [never("boundary.readback", [is("decision", "mismatch")])],
});

const meaning: Gate = {
  id: "BOUNDARY-MEANING",
  title:
    "The rules that the kernel holds decide about every class of packets as plan and policy do",
  require: [
    need("boundary.meaning", [
      is("decision", "equal"),
      { op: "ge", path: "measurements.cells", value: 1 },
    ]),
  ],
  forbid: [never("boundary.meaning", [is("decision", "differs")])],
};

const probes = ({ phase, rulesets }: BoundaryGateOptions): Gate => {
  const authorities = [
    ...rulesets.map(({ authority }) => authority),
    ...(phase === "image-qualification" ? (["egress"] as const) : []),
  ];
  return {
    id: "BOUNDARY-PROBES",
    title: "Of each authority an allowed flow passed and a denied one didn't, and none otherwise",
    require: authorities.flatMap((authority) =>
      EXPECTATIONS.map((expectation) =>
        need("boundary.probe", [
          is("decision", "passed"),
          is("measurements.authority", authority),
          is("measurements.expectation", expectation),
        ]),
      ),
    ),
    forbid: [never("boundary.probe", [is("decision", "failed")])],
  };
};

const holders: Gate = {
  id: "BOUNDARY-HOLDERS",
  title: "Exactly those whom the policy names can tell the engine what to do",
  require: [need("boundary.holders", [is("decision", "exact")])],
  forbid: [never("boundary.holders", [is("decision", "differs")])],
};

const gate = ({ phase }: BoundaryGateOptions): Gate => ({
  id: "BOUNDARY-GATE",
  title: "The gate was open, and somebody outside had just looked",
  require: [
    need("boundary.gate", [is("decision", "open"), is("measurements.phase", phase)]),
    need("boundary.host-observation", [is("decision", "fresh")]),
  ],
  forbid: [
    never("boundary.gate", [is("decision", "shut")]),
    never("boundary.host-observation", [oneOf("decision", NOT_FRESH)]),
  ],
});

const end: Gate = {
  id: "BOUNDARY-END",
  title: "Nothing was found, and the boundary stood when the log ended",
  require: [
    need("boundary.end", [is("decision", "standing")]),
    need("run.end", [is("decision", "completed")]),
  ],
  forbid: [
    never("boundary.finding"),
    never("boundary.floor"),
    never("boundary.end", [is("decision", "floor")]),
  ],
};

/** Gates of an apply, of a watch, or of a time at the gate. They go into its manifest as data. */
export const boundaryGates = (options: BoundaryGateOptions): readonly Gate[] => [
  readback(options),
  meaning,
  ...(!isOfGate(options.phase) ? [] : [probes(options), holders, gate(options)]),
  end,
];
