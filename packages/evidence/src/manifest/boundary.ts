import { gatesReader } from "../gates/gate.js";
import { digest, id, instant } from "../schema/common.js";
import {
  array,
  boolean,
  integer,
  literal,
  nullable,
  object,
  oneOf,
  rule,
  type Shape,
  text,
} from "../schema/reader.js";
import { ascending } from "./ascending.js";
import { build } from "./build.js";

export const BOUNDARY_MANIFEST_SCHEMA = "drydock.boundary-manifest/v1";

/** `apply` brings a boundary up, `watch` looks on; the other two are the gate's. */
export const BOUNDARY_PHASES = ["apply", "image-qualification", "start", "watch"] as const;
export type BoundaryPhase = (typeof BOUNDARY_PHASES)[number];

const AUTHORITIES = ["platform", "scenario"] as const;

/** An engine's own words for itself: bounded, and never a path. */
const IDENTITY = text(128, 1);

const shape = object({
  schema: literal(BOUNDARY_MANIFEST_SCHEMA),
  run: id,
  created: instant,
  phase: oneOf(BOUNDARY_PHASES),
  /** Nobody's release has to be what it is about: no evidence of an appliance. */
  development: boolean,
  owner: id,
  plan: digest,
  /** Null for a scenario alone. */
  policy: nullable(digest),
  /** The signed release and its payload; null where there is none. */
  release: nullable(object({ digest, payload: digest })),
  /** As they are named, and the ids that the engine had for them. */
  images: rule(
    array(object({ reference: text(512, 1), id: digest }), 256),
    ascending((image) => image.reference, "images"),
  ),
  /** What each authority's tables have to be. */
  rulesets: rule(
    array(
      object({
        authority: oneOf(AUTHORITIES),
        realisation: oneOf(["br_netfilter", "native"]),
        digest,
      }),
      AUTHORITIES.length,
      1,
    ),
    ascending((ruleset) => ruleset.authority, "authorities"),
  ),
  topology: object({
    /**
     * Whom the rulesets are for: `planned` is what an apply would make of plan and policy, before
     * the engine has chosen a port for anything. At the gate it says that what is there couldn't be
     * seen or bound: no kernel holds these rules, so such a time never passes.
     */
    kind: oneOf(["planned", "observed"]),
    networks: integer(1),
    bridges: integer(1),
    bootId: IDENTITY,
    daemonId: IDENTITY,
  }),
  /** How old a look from outside may be; null where nobody looks. */
  freshnessSeconds: nullable(integer(1)),
  build,
  gates: gatesReader,
});

const problem = (manifest: Shape<typeof shape>): string | null => {
  const { phase, development, policy, release, rulesets, freshnessSeconds } = manifest;
  if (release === null && !development) return "without a release it is development";
  if (!rulesets.some(({ authority }) => authority === "scenario")) return "no scenario's ruleset";
  if (rulesets.some(({ authority }) => authority === "platform") !== (policy !== null))
    return "a policy without its ruleset, or a ruleset without its policy";
  if (phase === "apply" || phase === "watch") return null;
  if (release === null || policy === null) return "a gate is of a release and its policy";
  return freshnessSeconds === null ? "a gate says how old a look from outside may be" : null;
};

/** The sealed inputs of one apply, or of one time at the gate. */
export const boundaryManifestReader = rule(shape, problem);
export type BoundaryManifest = Shape<typeof boundaryManifestReader>;

export const boundaryManifestSchema = boundaryManifestReader.schema;
