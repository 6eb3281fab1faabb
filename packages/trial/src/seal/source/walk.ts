import { type BigIntStats, lstatSync, readdirSync, readlinkSync } from "node:fs";
import { errorCode } from "../repository/read-file.js";

export type WalkedEntry =
  | {
      readonly kind: "seen";
      /** Raw bytes of the path relative to the root, "/"-separated. */
      readonly path: Buffer;
      /** Raw bytes of the whole path, for opening it. */
      readonly full: Buffer;
      readonly status: BigIntStats;
      /** Raw bytes of a symbolic link's target. */
      readonly target: Buffer | undefined;
    }
  | { readonly kind: "unreadable"; readonly path: Buffer; readonly code: string }
  /** More entries or levels than the bound: the walk ends here. */
  | { readonly kind: "bound"; readonly path: Buffer; readonly limit: "files" | "depth" };

export interface WalkLimits {
  readonly files: number;
  readonly depth: number;
}

const SLASH = Buffer.from("/");

/**
 * Lists everything below a directory, in the order of its names' bytes at each level, following no
 * link. Entries for which `skip` is true are left out with all they hold. What to do about an
 * unreadable entry or a bound is the caller's decision.
 */
export function* walk(
  root: string,
  limits: WalkLimits,
  skip: (path: Buffer, name: Buffer) => boolean,
): Generator<WalkedEntry, void, void> {
  let seen = 0;
  function* visit(directory: Buffer, depth: number): Generator<WalkedEntry, boolean, void> {
    const names = attempt(() => readdirSync(fullPath(root, directory), { encoding: "buffer" }));
    if (names.kind === "failed") {
      yield { kind: "unreadable", path: directory, code: names.code };
      return true;
    }
    for (const name of names.value.sort(Buffer.compare)) {
      const path = directory.length === 0 ? name : Buffer.concat([directory, SLASH, name]);
      if (skip(path, name)) continue;
      seen += 1;
      if (seen > limits.files || depth > limits.depth) {
        yield { kind: "bound", path, limit: seen > limits.files ? "files" : "depth" };
        return false;
      }
      const entry = look(root, path);
      yield entry;
      const descend = entry.kind === "seen" && entry.status.isDirectory();
      if (descend && !(yield* visit(path, depth + 1))) return false;
    }
    return true;
  }
  yield* visit(Buffer.alloc(0), 1);
}

const fullPath = (root: string, path: Buffer): Buffer =>
  Buffer.concat([Buffer.from(root), SLASH, path]);

const look = (root: string, path: Buffer): WalkedEntry => {
  const full = fullPath(root, path);
  const found = attempt(() => {
    const status = lstatSync(full, { bigint: true });
    const target = status.isSymbolicLink() ? readlinkSync(full, { encoding: "buffer" }) : undefined;
    return { status, target };
  });
  return found.kind === "failed"
    ? { kind: "unreadable", path, code: found.code }
    : { kind: "seen", path, full, ...found.value };
};

const attempt = <T>(
  action: () => T,
): { kind: "done"; value: T } | { kind: "failed"; code: string } => {
  try {
    return { kind: "done", value: action() };
  } catch (error) {
    return { kind: "failed", code: errorCode(error) };
  }
};
