import type { Gate } from "./gate.js";
import { is, need, never, oneOf } from "./patterns.js";

/** The one sentence that a plain run's verdict speaks of. */
export const PLAIN_RUN_PROPOSITION =
  "This subject ran inside this sealed topology, used no channel beyond those granted, and stayed within these bounds.";

const attested = (stage: "start" | "end"): Pick<Gate, "require" | "forbid"> => ({
  require: (["attest.kernel", "attest.vmm"] as const).map((type) =>
    need(type, [is("decision", "match"), is("measurements.stage", stage)]),
  ),
  forbid: (["attest.kernel", "attest.vmm"] as const).map((type) =>
    never(type, [is("decision", "mismatch"), is("measurements.stage", stage)]),
  ),
});

const gatesOfEachRun: readonly Gate[] = [
  {
    id: "RUN-TOPOLOGY-START",
    title: "Before the command, kernel and VMM showed the sealed topology and nothing else",
    ...attested("start"),
  },
  {
    id: "RUN-TOPOLOGY-END",
    title: "Before teardown, kernel and VMM still showed the sealed topology",
    ...attested("end"),
  },
  {
    id: "RUN-LIMITS",
    title: "Every limit was in force before the guest ran",
    require: [need("limits.readback", [is("decision", "match")])],
    forbid: [never("limits.readback", [is("decision", "mismatch")])],
  },
  {
    id: "RUN-CHANNELS",
    title: "No channel was used beyond those granted, and both ends counted the same bytes",
    require: [need("channel.bytes", [is("decision", "equal")])],
    forbid: [
      never("channel.violation"),
      never("channel.undeclared"),
      never("channel.bytes", [is("decision", "different")]),
    ],
  },
  {
    id: "RUN-BOUNDS",
    title: "The run stayed within its bounds",
    require: [need("bounds.summary", [is("decision", "within")])],
    forbid: [never("bounds.exceeded"), never("bounds.summary", [is("decision", "exceeded")])],
  },
  {
    id: "RUN-CANONICAL",
    title: "The canonical checkout is as it was",
    require: [
      need("seal.canonical", [is("measurements.stage", "before")]),
      need("seal.canonical", [is("measurements.stage", "after")]),
    ],
    forbid: [never("canonical.changed")],
  },
  {
    id: "RUN-COMMAND",
    title: "The command ended by itself",
    require: [need("exec.exit")],
    forbid: [never("deadline.fired", [], "INCOMPLETE"), never("guest.lost", [], "INCOMPLETE")],
  },
  {
    id: "RUN-ARTIFACTS",
    title: "No planted secret left in an artifact",
    require: [need("artifacts.collected")],
    forbid: [never("artifact.canary")],
  },
  {
    id: "RUN-SETTLED",
    title: "Nothing that was reserved is left open",
    require: [need("settle")],
    forbid: [never("settle", [is("decision", "held")], "UNCERTAIN")],
  },
  {
    id: "RUN-DESTROYED",
    title: "Nothing of the run was left on the host",
    require: [need("destroy", [is("decision", "clean")])],
    forbid: [
      never("destroy", [is("decision", "leftovers")]),
      never("kill", [is("decision", "survived")]),
    ],
  },
  {
    id: "RUN-END",
    title: "The run was not stopped, and both logs reach their end",
    require: [need("run.end", [is("decision", "completed")]), need("port.end")],
    forbid: [],
  },
];

/** What is asked besides of a run with a broker. */
const egressGate: Gate = {
  id: "RUN-EGRESS",
  title: "The broker recorded what it decided to its end, and its channel carried what it may",
  require: [
    need("log.end", [is("decision", "clean")], "INCOMPLETE", "egress"),
    need("channel.bytes", [
      is("decision", "equal"),
      is("measurements.channel", "drydock.egress.0"),
    ]),
  ],
  forbid: [
    never("channel.violation", [], "FAIL", "egress"),
    // A secret in a response was on its way into the guest; what held a canary was on its way out.
    never("egress.closed", [oneOf("measurements.reason", ["CANARY", "RESPONSE_HAS_SECRET"])]),
  ],
};

/** What is asked besides of a run with planted values. */
const canaryGate: Gate = {
  id: "RUN-CANARIES",
  title: "No planted value was seen on any channel, in the encodings that are watched for",
  require: [need("port.end")],
  forbid: [
    never("canary.sighted", [], "FAIL", "port"),
    never("canary.sighted", [], "FAIL", "egress"),
  ],
};

/** Gates of a run that claims no tier. They go into its manifest as data. */
export const plainRunGates = (
  options: { readonly egress: boolean; readonly canaries: boolean } = {
    egress: false,
    canaries: false,
  },
): readonly Gate[] => [
  ...gatesOfEachRun,
  ...(options.egress ? [egressGate] : []),
  ...(options.canaries ? [canaryGate] : []),
];
