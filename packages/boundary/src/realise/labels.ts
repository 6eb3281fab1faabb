import type { BoundaryOwner } from "../model/index.js";

/** Whose a network or container is; two boundaries on one engine never touch each other's. */
export const OWNER_LABEL = "dev.drydock.owner";

/** Digest of what it was made from: another one means that it has to be made again. */
export const SPEC_LABEL = "dev.drydock.spec";

export const isOwned = (
  owner: BoundaryOwner,
  { labels }: { readonly labels: Readonly<Record<string, string>> },
): boolean => labels[OWNER_LABEL] === owner;
