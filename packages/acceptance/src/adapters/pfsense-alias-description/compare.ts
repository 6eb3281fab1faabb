import { canonicalise } from "@drydock/evidence";
import type { Alias } from "./alias.js";
import type { AliasDescriptionIntent } from "./intent.js";

/** Order counts: a detail belongs to the member at its place. */
const same = (a: Alias, b: Alias): boolean => canonicalise(a) === canonicalise(b);

/** The description is the intent's, and name, type, members, details and number are as before. */
export const isSemanticallyVerified = (
  pre: Alias,
  post: Alias,
  intent: AliasDescriptionIntent,
): boolean => same({ ...pre, descr: intent.new_description }, post);

export const isRollbackVerified = (snapshot: Alias, post: Alias): boolean => same(snapshot, post);
