import { gatesReader } from "../gates/gate.js";
import { digest, id, instant } from "../schema/common.js";
import {
  array,
  integer,
  literal,
  nullable,
  object,
  oneOf,
  rule,
  type Shape,
  text,
} from "../schema/reader.js";
import { build } from "./build.js";

export const LAB_MANIFEST_SCHEMA = "drydock.lab-manifest/v1";

/** A catalogue has some forty; a gate each, and one for each of the rest, stay below what gates may be. */
const MAX_SCENARIOS = 128;

/** The sealed inputs of one rehearsal. */
export const labManifestReader = object({
  schema: literal(LAB_MANIFEST_SCHEMA),
  run: id,
  created: instant,
  /** As somebody would type it, with what it leaves to defaults. */
  command: text(1024, 1),
  /** Of a real appliance there is no evidence of this version. */
  target: literal("stand-in"),
  adapter: object({ name: id, digest }),
  seed: integer(0),
  /** How often each scenario is played. */
  repeat: integer(1, 1000),
  deadlineMs: integer(1),
  /** `all` of the catalogue, or `some`, which is less than an acceptance. */
  extent: oneOf(["all", "some"]),
  scenarios: rule(
    array(
      object({
        name: id,
        /** Null where there is one case of the name. */
        variant: nullable(text(64, 1)),
        /** Digest of what is done to it, and of what has to be so at its end. */
        oracle: digest,
      }),
      MAX_SCENARIOS,
      1,
    ),
    (scenarios) =>
      new Set(scenarios.map(({ name, variant }) => JSON.stringify([name, variant]))).size ===
      scenarios.length
        ? null
        : "a scenario is listed twice",
  ),
  build,
  gates: gatesReader,
});

export type LabManifest = Shape<typeof labManifestReader>;

export const labManifestSchema = labManifestReader.schema;
