import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  checkpointFile,
  DrydockError,
  digestOf,
  LOGS_FOLDER,
  type LogClock,
  logFile,
  openAppendFile,
  openLog,
  quote,
  type SigningKey,
  STANDALONE_POLICY_FILE,
  type TrustEntry,
} from "@drydock/evidence";
import { type EgressPolicy, policyBytes } from "../policy/index.js";
import { type EgressReceipt, receiptEvent } from "../service/index.js";
import { batched } from "./batched-file.js";

export interface LogDirectoryOptions {
  readonly path: string;
  readonly run: string;
  readonly policy: EgressPolicy;
  readonly key: SigningKey;
  readonly clock: LogClock;
  /** 8 random bytes. */
  readonly nonce: Uint8Array;
  /** Calls back when the current turn of the event loop is over. */
  readonly later: (call: () => void) => void;
}

export interface EgressLog {
  write(receipt: EgressReceipt): void;
  /** Makes what was written durable and signs it, if anything was. */
  checkpoint(): void;
  /** Writes the terminal record, signs it and closes the files. */
  end(clean: boolean): void;
}

/**
 * The log of a broker on its own: `policy.json` and `logs/egress.jsonl` with its checkpoints, in a
 * directory that is new or empty. There is no manifest and no controller: record 0 binds the log to
 * the policy, and whoever keeps the key's trust entry can tell that nothing was changed later.
 *
 * @throws DrydockError LOG_DIRECTORY
 */
export const openLogDirectory = (options: LogDirectoryOptions): EgressLog => {
  const { path, run, policy, key, clock, nonce, later } = options;
  const bytes = policyBytes(policy);
  makeDirectory(path);
  writeFileSync(join(path, STANDALONE_POLICY_FILE), bytes, { mode: 0o600, flag: "wx" });
  const file = openAppendFile(join(path, logFile("egress")), "create");
  const checkpoints = openAppendFile(join(path, checkpointFile("egress")), "create");
  const log = openLog({
    run,
    role: "egress",
    manifest: digestOf(bytes),
    policy: policy.digest,
    key,
    clock,
    nonce,
    log: batched(file, later),
    checkpoints,
  });
  let signed = 0;
  const checkpoint = (): void => {
    if (log.head().size > signed) signed = log.checkpoint().size;
  };
  checkpoint();
  return {
    write: (receipt) => void log.append(receiptEvent(receipt)),
    checkpoint,
    end: (clean) => {
      log.append({ type: "log.end", decision: clean ? "clean" : "failed" });
      checkpoint();
      file.close();
      checkpoints.close();
    },
  };
};

const makeDirectory = (path: string): void => {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    if (readdirSync(path).length > 0) throw new Error("it isn't empty");
    mkdirSync(join(path, LOGS_FOLDER), { mode: 0o700 });
  } catch (cause) {
    throw new DrydockError(
      "LOG_DIRECTORY",
      `no log in ${quote(path)}: ${(cause as Error).message}`,
      {
        fix: "Name a directory that is new or empty, for each start of a broker.",
        cause,
      },
    );
  }
};

/** Longer than brokers run without a restart; the key ends with its process. */
const KEY_DAYS = 366;
const DAY_MS = 86_400_000;

/** What somebody has to keep elsewhere to check the log: the key exists in its process only. */
export const logTrust = (key: SigningKey, now: Date): TrustEntry => ({
  keyId: key.public.keyId,
  spki: key.public.spki,
  roles: ["egress"],
  classes: ["HOST_OBSERVED", "BROKER_OBSERVED"],
  namespaces: ["log"],
  notBefore: new Date(now.getTime() - 60_000).toISOString(),
  notAfter: new Date(now.getTime() + KEY_DAYS * DAY_MS).toISOString(),
  revoked: null,
});
