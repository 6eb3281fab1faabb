import { renameSync, rmSync, writeFileSync } from "node:fs";
import { keepOwner } from "@drydock/vm";

/** Puts a whole file in place, or none, for its owner's eyes only. */
export const writePrivately = (path: string, contents: string | Uint8Array): void => {
  const draft = `${path}.new`;
  rmSync(draft, { force: true });
  writeFileSync(draft, contents, { mode: 0o600, flag: "wx" });
  keepOwner(draft);
  renameSync(draft, path);
};
