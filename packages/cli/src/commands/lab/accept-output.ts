import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { DrydockError, quote } from "@drydock/evidence";

/** A new directory for reports, which stays empty unless they may be kept. */
export interface Output {
  readonly directory: string;
  write(reports: Readonly<Record<string, Uint8Array>>): void;
  /** For a rehearsal that came to no report: the directory was made for it. */
  remove(): void;
}

/** Before anything is played: afterwards the reports would be lost. @throws DrydockError OUTPUT_EXISTS */
export const claimOutput = (given: string | undefined): Output | null => {
  if (given === undefined) return null;
  const directory = resolve(given);
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (cause) {
    throw new DrydockError("OUTPUT_EXISTS", `${quote(given)} can't be made`, {
      fix: "Name a directory that isn't there yet, in one that is.",
      cause,
    });
  }
  return {
    directory,
    write: (reports) => {
      for (const [name, bytes] of Object.entries(reports))
        writeFileSync(join(directory, name), bytes, { mode: 0o600, flag: "wx" });
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
};
