import { sealError } from "../errors.js";

export interface CommitHeader {
  readonly tree: string;
  /** Committer time in seconds since the epoch. */
  readonly time: number;
}

const TREE = /^tree ([0-9a-f]{40}|[0-9a-f]{64})\n/;
const COMMITTER = /^committer [^\n]*> (-?[0-9]{1,18}) [+-][0-9]{4}$/m;

/** Parses the header of a commit object (git-commit-tree(1)). @throws SOURCE_CORRUPT */
export const parseCommit = (body: Buffer): CommitHeader => {
  const end = body.indexOf("\n\n");
  const header = (end === -1 ? body : body.subarray(0, end)).toString("latin1");
  const tree = TREE.exec(header)?.[1];
  const time = COMMITTER.exec(header)?.[1];
  if (tree === undefined || time === undefined) {
    throw sealError("SOURCE_CORRUPT", "the commit has no tree or no committer line");
  }
  return { tree, time: Number(time) };
};

export type BatchHeader =
  | { readonly kind: "object"; readonly oid: string; readonly type: string; readonly size: number }
  | { readonly kind: "missing" | "ambiguous"; readonly name: string };

const OBJECT = /^([0-9a-f]{40}|[0-9a-f]{64}) (blob|tree|commit|tag) (0|[1-9][0-9]{0,14})$/;

/** Parses one header line of `git cat-file --batch` or `--batch-check`. @throws GIT_FAILED */
export const parseBatchHeader = (line: string): BatchHeader => {
  const object = OBJECT.exec(line);
  if (object !== null) {
    const [, oid = "", type = "", size = ""] = object;
    return { kind: "object", oid, type, size: Number(size) };
  }
  const failed = /^(.*) (missing|ambiguous)$/s.exec(line);
  if (failed !== null) {
    return { kind: failed[2] === "missing" ? "missing" : "ambiguous", name: failed[1] ?? "" };
  }
  throw sealError("GIT_FAILED", "git cat-file answered with something that is not a header");
};
