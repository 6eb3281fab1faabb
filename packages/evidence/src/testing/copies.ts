import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "@drydock/testkit";
import type { EvidenceFixture } from "./run-fixture.js";

/** All files under a directory, relative to it. */
export const filesOf = (directory: string): readonly string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath.slice(directory.length + 1), entry.name))
    .sort();

/** A fresh copy of a run for one attack. */
export const copies = <F extends EvidenceFixture>(
  t: Parameters<typeof temporaryDirectory>[0],
  original: F,
) => {
  const root = temporaryDirectory(t);
  let count = 0;
  return (): F => {
    count += 1;
    const directory = join(root, String(count));
    cpSync(original.directory, directory, { recursive: true });
    return {
      ...original,
      directory,
      read: (file) => readFileSync(join(directory, file)),
      write: (file, bytes) => writeFileSync(join(directory, file), bytes),
    };
  };
};
