import { sealError } from "../errors.js";
import { display } from "../names/display.js";

/** What a repository, remote or bundle offers. */
export interface OfferedRefs {
  /** Where HEAD leads, undefined when it leads nowhere (nothing is committed). */
  readonly head: { readonly ref: string; readonly oid: string } | undefined;
  readonly refs: ReadonlyMap<string, string>;
}

export interface ResolvedRef {
  /** The full ref name, "HEAD" when it is detached, or the object id itself. */
  readonly ref: string;
  readonly oid: string;
}

export const OBJECT_ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** The places where a short name is looked for; gitrevisions(7) without its guesses. */
const PLACES = ["refs/tags/", "refs/heads/", "refs/remotes/origin/"] as const;

/**
 * Finds the one object that a ref means. A full object id always means itself; a short name that
 * means two different objects is refused rather than ranked.
 *
 * @throws NOTHING_COMMITTED, REF_NOT_FOUND, REF_AMBIGUOUS
 */
export const resolveRef = (ref: string, offered: OfferedRefs): ResolvedRef => {
  if (OBJECT_ID.test(ref)) return { ref, oid: ref };
  if (ref === "HEAD") {
    if (offered.head !== undefined) return offered.head;
    throw sealError("NOTHING_COMMITTED", "HEAD leads to no commit", {
      fix: "commit the files, name another --ref, or seal them as they are with --working-tree",
    });
  }
  const names = ref.startsWith("refs/") ? [ref] : PLACES.map((place) => `${place}${ref}`);
  const found = names.flatMap((name) => {
    const oid = offered.refs.get(name);
    return oid === undefined ? [] : [{ ref: name, oid }];
  });
  const [first] = found;
  if (first === undefined) {
    throw sealError("REF_NOT_FOUND", `no ref ${display(ref)}`, {
      fix: "give a branch, a tag, refs/… in full, or the complete object id",
    });
  }
  if (found.some(({ oid }) => oid !== first.oid)) {
    throw sealError(
      "REF_AMBIGUOUS",
      `${display(ref)} means ${found.map((each) => display(each.ref)).join(" and ")}`,
      { fix: "give the ref in full, starting with refs/" },
    );
  }
  return first;
};
