import { imageError, quote } from "../errors.js";

/**
 * A path named twice, or both hidden and filled, means different things to readers that go by
 * order and readers that don't, so it is refused. Names that differ only in case are two names.
 */
export const checkConflicts = (
  entries: readonly { readonly path: readonly string[] }[],
  hidden: readonly (readonly string[])[],
  opaque: readonly (readonly string[])[],
): void => {
  const named = new Set<string>();
  const withParents = new Set<string>();
  for (const { path } of entries) {
    const key = path.join("/");
    if (named.has(key)) {
      throw imageError("IMAGE_DUPLICATE", `the layer has ${quote(key)} twice`, {
        fix: "Rebuild the image; each path may occur once in a layer.",
      });
    }
    named.add(key);
    for (let end = path.length; end > 0; end -= 1) {
      const ancestor = path.slice(0, end).join("/");
      if (withParents.has(ancestor)) break;
      withParents.add(ancestor);
    }
  }
  const hides = new Set<string>();
  for (const path of hidden) {
    const key = path.join("/");
    if (hides.has(key)) throw whiteoutConflict(key, "is hidden twice");
    if (withParents.has(key)) throw whiteoutConflict(key, "is both hidden and present");
    hides.add(key);
  }
  const cleared = new Set<string>();
  for (const path of opaque) {
    const key = path.join("/");
    if (cleared.has(key)) throw whiteoutConflict(key, "is made opaque twice");
    cleared.add(key);
  }
};

const whiteoutConflict = (path: string, why: string) =>
  imageError("IMAGE_WHITEOUT", `in one layer ${quote(path)} ${why}`, {
    fix: "Rebuild the image; a layer may hide a path or fill it, not both.",
  });
