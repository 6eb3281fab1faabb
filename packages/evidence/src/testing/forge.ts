import { digestOf } from "../digest/digest.js";
import { canonicalBytes } from "../json/canonical.js";
import type { SigningKey } from "../keys/key.js";
import { logOrigin, signCheckpoint } from "../log/checkpoint.js";
import { IncrementalTree } from "../log/merkle.js";
import { type EvidenceRecord, FIRST_PREV } from "../record/record.js";
import type { Role } from "../record/vocabulary.js";
import { utf8 } from "./bytes.js";
import type { RunFixture } from "./run-fixture.js";

/** What whoever holds a log's key could do: new lines, chained and signed as if nothing were. */
export const forgeLog = (
  fixture: Pick<RunFixture, "read" | "write">,
  role: Role,
  key: SigningKey,
  change: (records: readonly EvidenceRecord[]) => readonly object[],
): void => {
  const lines = linesOf(fixture, role).map((line): EvidenceRecord => JSON.parse(line));
  const run = lines[0]?.run ?? "";
  const tree = new IncrementalTree();
  let prev = FIRST_PREV;
  let log = "";
  change(lines).forEach((record, sequence) => {
    const line = canonicalBytes({ ...record, sequence, prev });
    tree.append(line);
    prev = digestOf(line);
    log += `${line.toString("utf8")}\n`;
  });
  fixture.write(`logs/${role}.jsonl`, log);
  fixture.write(
    `logs/${role}.checkpoint`,
    signCheckpoint({ origin: logOrigin(run, role), size: tree.size, root: tree.root() }, key),
  );
};

export const linesOf = (fixture: Pick<RunFixture, "read">, role: Role): readonly string[] =>
  fixture.read(`logs/${role}.jsonl`).toString("utf8").split("\n").slice(0, -1);

export const writeLines = (
  fixture: Pick<RunFixture, "write">,
  role: Role,
  lines: readonly string[],
): void => fixture.write(`logs/${role}.jsonl`, utf8(lines.map((line) => `${line}\n`).join("")));
