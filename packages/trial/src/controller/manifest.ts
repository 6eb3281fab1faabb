import {
  digestOf,
  type JsonObject,
  MANIFEST_SCHEMA,
  plainRunGates,
  type RunManifest,
} from "@drydock/evidence";
import type { Inputs, Order } from "../contract/index.js";
import { manifestSource } from "../seal/index.js";

/** Everything that decides what the run is, before anything of it exists. */
export const composeManifest = (order: Order, inputs: Inputs, created: string): RunManifest => ({
  schema: MANIFEST_SCHEMA,
  run: order.run,
  created,
  scenario: null,
  command:
    order.command === null
      ? null
      : { ...order.command, argv: [...order.command.argv], stdin: null },
  source: inputs.source === null ? { kind: "none" } : manifestSource(inputs.source),
  image: inputs.image,
  vmm: inputs.vmm,
  snapshot: inputs.snapshot,
  topology: inputs.topology,
  limits: {
    ...order.limits,
    vmmPids: inputs.vmmPids,
    vmmMemoryBytes: inputs.vmmMemoryBytes,
    ...inputs.helpers,
  },
  build: inputs.build,
  policy: order.egress === null ? null : digestOf(Buffer.from(order.egress.policy, "utf8")),
  egress:
    order.egress === null
      ? null
      : {
          policy: JSON.parse(order.egress.policy) as JsonObject,
          signature: order.egress.signature,
          secrets: order.egress.secrets,
          upstreamRoots: order.egress.upstreamRoots,
        },
  canaries: [...order.canaries].sort(),
  prices: null,
  tests: null,
  fixtures: null,
  artifacts: [...order.artifacts],
  tier: null,
  gates: plainRunGates({
    egress: order.egress !== null,
    canaries: order.canaries.length > 0,
  }),
});
