import { sealError } from "../errors.js";
import { display } from "../names/display.js";
import { checkRef } from "./check-ref.js";
import { checkGitUrl, looksLikeUrl } from "./check-url.js";
import type { SourceRequest } from "./request.js";

export interface SourceArguments {
  /** `--source`: a directory, a git URL or a bundle file. */
  readonly source: string;
  /** `--ref`; HEAD when absent. */
  readonly ref?: string;
  readonly workingTree?: boolean;
}

/** What is at a path, links followed. The caller looks; this module decides. */
export type PathKind = "directory" | "file" | "absent" | "unreadable" | "other";

/**
 * Turns command-line strings into a typed request.
 *
 * @throws SOURCE_ARGUMENT, SOURCE_NOT_FOUND, SOURCE_UNREADABLE, SOURCE_PROTOCOL,
 * SOURCE_CREDENTIALS, REF_ARGUMENT: each names the argument.
 */
export const checkSourceArguments = (
  given: SourceArguments,
  look: (path: string) => PathKind,
): SourceRequest => {
  const { source } = given;
  if (source === "" || source.startsWith("-") || source.includes("\0")) {
    throw sealError("SOURCE_ARGUMENT", `not a source: "${display(source)}"`, {
      fix: "give a directory, a git URL or a bundle file; write ./-name for a leading dash",
    });
  }
  if (given.workingTree === true && given.ref !== undefined) {
    throw sealError("SOURCE_ARGUMENT", "--working-tree and --ref exclude each other", {
      fix: "drop --ref to seal the files as they are, or --working-tree to seal a commit",
    });
  }
  const ref = checkRef(given.ref ?? "HEAD");
  const kind = looksLikeUrl(source) ? look(source) : undefined;
  if (kind === "absent" || (kind !== undefined && source.includes("://"))) {
    if (given.workingTree === true) throw needsDirectory(source);
    return { kind: "remote", url: checkGitUrl(source), ref };
  }
  switch (kind ?? look(source)) {
    case "directory":
      return given.workingTree === true
        ? { kind: "working-tree", path: source }
        : { kind: "directory", path: source, ref };
    case "file":
      if (given.workingTree === true) throw needsDirectory(source);
      return { kind: "bundle", path: source, ref };
    case "absent":
      throw sealError("SOURCE_NOT_FOUND", `no such directory or file: ${display(source)}`, {
        fix: "check the path given with --source",
      });
    case "unreadable":
      throw sealError("SOURCE_UNREADABLE", `cannot open ${display(source)}`, {
        fix: "check the permissions of the path and the directories above it",
      });
    case "other":
      throw sealError("SOURCE_ARGUMENT", `neither a directory nor a file: ${display(source)}`, {
        fix: "give a directory, a git URL or a bundle file",
      });
  }
};

const needsDirectory = (source: string): Error =>
  sealError("SOURCE_ARGUMENT", `--working-tree needs a directory, not ${display(source)}`, {
    fix: "give the directory whose files are to be sealed",
  });
