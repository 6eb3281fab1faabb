import type { Digest } from "@drydock/evidence";
import { sha256 } from "@drydock/evidence";
import type { Authority, BoundaryOwner, Realisation } from "../model/index.js";

/**
 * The chain that says whose a table is: never jumped to, one `return` for each part of the table's
 * comment. nft 1.0.6 (Debian 12) leaves a table's own comment out of its JSON, and a comment ends
 * at 128 bytes, where ours has more.
 */
export const ABOUT_CHAIN = "about";

/** What a table says about itself; `digest` is over its authority's two tables. */
export interface About {
  /** 16 hex digits of SHA-256 over the owner, so that an owner's name never gets into a kernel. */
  readonly owner: string;
  readonly authority: Authority;
  readonly realisation: Realisation;
  readonly digest: Digest;
}

/** By owner and authority, so that two boundaries on one machine have four tables and no conflict. */
export const tableName = (owner: BoundaryOwner, authority: Authority): string =>
  `drydock_${hex(`${owner}:${authority}`).slice(0, 12)}`;

export const ownerDigest = (owner: BoundaryOwner): string => hex(owner).slice(0, 16);

export const formatAbout = ({ owner, authority, realisation, digest }: About): string =>
  `owner=${owner},authority=${authority},realisation=${realisation},digest=${digest.slice(7)}`;

/** null for everything that `formatAbout` doesn't write. */
export const parseAbout = (comment: string): About | null => {
  const found = ABOUT.exec(comment)?.groups;
  if (found === undefined) return null;
  return {
    owner: found["owner"] ?? "",
    authority: found["authority"] === "scenario" ? "scenario" : "platform",
    realisation: found["realisation"] === "native" ? "native" : "br_netfilter",
    digest: `sha256:${found["digest"]}`,
  };
};

const ABOUT =
  /^owner=(?<owner>[0-9a-f]{16}),authority=(?<authority>scenario|platform),realisation=(?<realisation>native|br_netfilter),digest=(?<digest>[0-9a-f]{64})$/;

const hex = (text: string): string => sha256(Buffer.from(text, "utf8")).toString("hex");
