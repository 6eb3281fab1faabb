import { type Digest, digestOfValue } from "@drydock/evidence";
import type {
  Authority,
  BoundaryOwner,
  Chain,
  Family,
  Realisation,
  Ruleset,
  Table,
} from "../model/index.js";
import { formatAbout, ownerDigest, tableName } from "./about.js";
import { normalTable } from "./normal.js";

/** What an authority's rules are before they have a digest. */
export interface UnsealedRuleset {
  readonly owner: BoundaryOwner;
  readonly authority: Authority;
  readonly realisation: Realisation;
  readonly inet: readonly Chain[];
  readonly bridge: readonly Chain[];
}

/**
 * Rules as a ruleset: in normal form, with the names, the digest and the comments that follow.
 *
 * @throws DrydockError RULESET_INVALID
 */
export const sealRuleset = (unsealed: UnsealedRuleset): Ruleset => {
  const { owner, authority, realisation } = unsealed;
  const name = tableName(owner, authority);
  const table = (family: Family, chains: readonly Chain[]): Table =>
    normalTable({ family, name, comment: "", chains });
  const inet = table("inet", unsealed.inet);
  const bridge = table("bridge", unsealed.bridge);
  const digest = digestNormal({ authority, realisation, inet, bridge });
  const comment = formatAbout({ owner: ownerDigest(owner), authority, realisation, digest });
  return {
    authority,
    realisation,
    inet: { ...inet, comment },
    bridge: { ...bridge, comment },
    digest,
  };
};

/**
 * Over both tables' normal form, the authority and the realisation; comments don't count, since
 * they carry the digest.
 *
 * @throws DrydockError RULESET_INVALID
 */
export const digestOf = (ruleset: Omit<Ruleset, "digest">): Digest =>
  digestNormal({
    ...ruleset,
    inet: normalTable(ruleset.inet),
    bridge: normalTable(ruleset.bridge),
  });

const digestNormal = (normal: Omit<Ruleset, "digest">): Digest => {
  const body = ({ family, name, chains }: Table) => ({ family, name, chains });
  return digestOfValue({
    authority: normal.authority,
    realisation: normal.realisation,
    inet: body(normal.inet),
    bridge: body(normal.bridge),
  });
};
