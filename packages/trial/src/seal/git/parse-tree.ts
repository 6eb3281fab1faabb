import { sealError } from "../errors.js";
import { decodePath } from "../names/decode.js";
import { display } from "../names/display.js";

export type TreeEntry =
  | {
      readonly kind: "file";
      readonly path: string;
      readonly oid: string;
      readonly size: number;
      readonly executable: boolean;
    }
  | { readonly kind: "link"; readonly path: string; readonly oid: string; readonly size: number }
  | { readonly kind: "gitlink"; readonly path: string; readonly oid: string };

const LINE = /^([0-7]{6}) (blob|commit) ([0-9a-f]{40}|[0-9a-f]{64}) +(-|[0-9]{1,15})\t(.+)$/s;

/**
 * Parses the output of `git ls-tree -r -l -z --full-tree`: what the commit holds, in git's order.
 * @throws PATH_REFUSED for a name that is not UTF-8, SOURCE_CORRUPT for a line or mode unknown to git.
 */
export const parseTreeListing = (output: Buffer): TreeEntry[] => {
  const entries: TreeEntry[] = [];
  for (let start = 0; start < output.length; ) {
    const end = output.indexOf(0, start);
    if (end === -1) throw sealError("SOURCE_CORRUPT", "the tree listing ends inside an entry");
    entries.push(parseEntry(output.subarray(start, end)));
    start = end + 1;
  }
  return entries;
};

const parseEntry = (bytes: Buffer): TreeEntry => {
  const match = LINE.exec(decodePath(bytes));
  if (match === null) throw sealError("SOURCE_CORRUPT", `not a tree entry: ${display(bytes)}`);
  const [, mode = "", type, oid = "", size = "", path = ""] = match;
  if (mode === "160000" && type === "commit" && size === "-") return { kind: "gitlink", path, oid };
  if (type !== "blob" || size === "-") {
    throw sealError("SOURCE_CORRUPT", `tree entry without a size: ${display(path)}`);
  }
  switch (mode) {
    case "120000":
      return { kind: "link", path, oid, size: Number(size) };
    case "100644":
    // Written by git before 2005 and still in old histories; git itself checks it out as 644.
    case "100664":
      return { kind: "file", path, oid, size: Number(size), executable: false };
    case "100755":
      return { kind: "file", path, oid, size: Number(size), executable: true };
    default:
      throw sealError("SOURCE_CORRUPT", `unknown file mode ${mode} at ${display(path)}`);
  }
};
