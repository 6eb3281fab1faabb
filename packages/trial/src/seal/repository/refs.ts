import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { sealError } from "../errors.js";
import { display } from "../names/display.js";
import type { RepositoryLocation } from "./locate.js";
import { readSmallFile } from "./read-file.js";
import type { OfferedRefs } from "./resolve-ref.js";

export type HeadValue =
  | { readonly kind: "symbolic"; readonly ref: string }
  | { readonly kind: "detached"; readonly oid: string };

export interface RepositoryRefs {
  readonly head: HeadValue;
  /** Full name to object id; symbolic refs other than HEAD are left out. */
  readonly refs: ReadonlyMap<string, string>;
}

const PACKED_REFS_BYTES = 64 * 1024 * 1024;
const REF_FILE_BYTES = 4096;
const MAX_LOOSE_REFS = 100_000;
const MAX_REF_DEPTH = 32;
const OID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Reads HEAD, loose and packed refs as data. @throws REPOSITORY_FORMAT, SOURCE_UNREADABLE */
export const readRefs = (location: RepositoryLocation): RepositoryRefs => {
  if (exists(join(location.commonDirectory, "reftable"))) {
    throw sealError("REPOSITORY_FORMAT", "the repository stores its refs as a reftable", {
      fix: "clone it with --ref-format=files, or give a bundle",
    });
  }
  const packed = readSmallFile(join(location.commonDirectory, "packed-refs"), PACKED_REFS_BYTES);
  const refs = parsePackedRefs(packed?.toString("utf8") ?? "");
  for (const [name, oid] of readLooseRefs(location.commonDirectory)) refs.set(name, oid);
  const head = readSmallFile(join(location.gitDirectory, "HEAD"), REF_FILE_BYTES);
  return { head: parseHead(head?.toString("utf8") ?? ""), refs };
};

/** The same, with HEAD followed; an unborn branch leads nowhere. */
export const offerRefs = ({ head, refs }: RepositoryRefs): OfferedRefs => {
  if (head.kind === "detached") return { head: { ref: "HEAD", oid: head.oid }, refs };
  const oid = refs.get(head.ref);
  return { head: oid === undefined ? undefined : { ref: head.ref, oid }, refs };
};

/** @throws REPOSITORY_FORMAT */
export const parseHead = (text: string): HeadValue => {
  const line = text.replace(/\n$/, "");
  const ref = /^ref:[ \t]*(refs\/[^\s]+)$/.exec(line)?.[1];
  if (ref !== undefined) return { kind: "symbolic", ref };
  if (OID.test(line)) return { kind: "detached", oid: line };
  throw sealError("REPOSITORY_FORMAT", `HEAD is neither a ref nor an object id: ${display(line)}`, {
    fix: "run git fsck in the repository",
  });
};

/** Comments and "peeled" lines are skipped; what a tag leads to is asked of the objects. */
export const parsePackedRefs = (text: string): Map<string, string> => {
  const refs = new Map<string, string>();
  for (const line of text.split("\n")) {
    if (line === "" || line.startsWith("#") || line.startsWith("^")) continue;
    const [, oid = "", name = ""] = /^([0-9a-f]+) (refs\/[^\s]+)$/.exec(line) ?? [];
    if (!OID.test(oid)) {
      throw sealError("REPOSITORY_FORMAT", `packed-refs has a line that is no ref`, {
        fix: "run git pack-refs --all in the repository",
      });
    }
    refs.set(name, oid);
  }
  return refs;
};

const readLooseRefs = (commonDirectory: string): Map<string, string> => {
  const refs = new Map<string, string>();
  const visit = (name: string, depth: number): void => {
    const directory = join(commonDirectory, name);
    if (depth > MAX_REF_DEPTH || lstatSync(directory).isSymbolicLink()) return;
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      const child = `${name}/${entry.name}`;
      if (entry.isDirectory()) visit(child, depth + 1);
      if (!entry.isFile() || entry.name.endsWith(".lock")) continue;
      if (refs.size >= MAX_LOOSE_REFS) {
        throw sealError("SOURCE_LIMIT", `more than ${MAX_LOOSE_REFS} loose refs`, {
          fix: "run git pack-refs --all",
        });
      }
      const value = readSmallFile(join(commonDirectory, child), REF_FILE_BYTES);
      const oid = (value?.toString("utf8") ?? "").replace(/\n$/, "");
      if (OID.test(oid)) refs.set(child, oid);
    }
  };
  visit("refs", 0);
  return refs;
};

const exists = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
