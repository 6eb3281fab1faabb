import type { SpentNonce } from "./small-rows.js";
import type { Statements } from "./statements.js";

/** Whether an authority has used this nonce before, for whatever and however long ago. */
export const isSpent = (
  statements: Statements,
  { authorityId, nonce }: Pick<SpentNonce, "authorityId" | "nonce">,
): boolean => statements.nonce(authorityId, nonce) !== undefined;
