import { lstatSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
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
import { signingPauseMs } from "./signing-pause.js";

/** What `drydock verify` reads of a log, less its last two records. */
const MAX_LOG_BYTES = 1024 ** 3 - 64 * 1024;

export interface LogDirectoryOptions {
  readonly path: string;
  readonly run: string;
  readonly policy: EgressPolicy;
  readonly key: SigningKey;
  readonly clock: LogClock;
  /** 8 random bytes. */
  readonly nonce: Uint8Array;
  /** Calls back when the current turn of the event loop is over; what it throws ends the broker. */
  readonly later: (call: () => void) => void;
  readonly maxBytes?: number;
}

export interface EgressLog {
  /** @throws DrydockError LOG_FULL: the log was ended, and can be verified as it is. */
  write(receipt: EgressReceipt): void;
  /**
   * Makes what was written durable and signs it, if anything was and it isn't too soon; see
   * `signingPauseMs`.
   */
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
  const { path, run, policy, key, clock, nonce, later, maxBytes = MAX_LOG_BYTES } = options;
  const policyText = policyBytes(policy);
  makeDirectory(path);
  writeFileSync(join(path, STANDALONE_POLICY_FILE), policyText, { mode: 0o600, flag: "wx" });
  const file = openAppendFile(join(path, logFile("egress")), "create");
  const checkpoints = openAppendFile(join(path, checkpointFile("egress")), "create");
  const stillThere = placesOf([logFile("egress"), checkpointFile("egress")], path);
  const lines = batched(file, later);
  let bytes = 0;
  const log = openLog({
    run,
    role: "egress",
    manifest: digestOf(policyText),
    policy: policy.digest,
    key,
    clock,
    nonce,
    log: {
      append: (line) => {
        bytes += line.length;
        lines.append(line);
      },
      sync: lines.sync,
    },
    checkpoints,
  });
  const signed = { records: 0, times: 0, atUs: 0 };
  const sign = (): void => {
    signed.records = log.checkpoint().size;
    signed.times += 1;
    signed.atUs = clock.monotonicUs();
  };
  const end = (decision: "clean" | "failed"): void => {
    log.append({ type: "log.end", decision });
    sign();
    file.close();
    checkpoints.close();
  };
  sign();
  return {
    write: (receipt) => {
      if (bytes >= maxBytes || signingPauseMs(signed.times) === null) {
        end("failed");
        throw new DrydockError("LOG_FULL", `the log in ${quote(path)} is as long as can be read`, {
          fix: "Start the broker again, with a new directory.",
        });
      }
      log.append(receiptEvent(receipt));
    },
    checkpoint: () => {
      stillThere();
      const pauseMs = signingPauseMs(signed.times);
      if (pauseMs === null || log.head().size === signed.records) return;
      if (clock.monotonicUs() - signed.atUs >= 1_000 * pauseMs) sign();
    },
    end: (clean) => end(clean ? "clean" : "failed"),
  };
};

/**
 * Files that were removed or moved would go on to be written, and lost when the broker ends.
 *
 * @throws DrydockError LOG_GONE, from what it returns
 */
const placesOf = (names: readonly string[], directory: string): (() => void) => {
  const found = (name: string): string | null => {
    const file = lstatSync(join(directory, name), { throwIfNoEntry: false });
    return file === undefined ? null : `${file.dev}:${file.ino}`;
  };
  const places = names.map(found);
  return () => {
    const gone = names.find((name, index) => found(name) !== places[index]);
    if (gone === undefined) return;
    throw new DrydockError("LOG_GONE", `${quote(join(directory, gone))} isn't there any more`, {
      fix: "Keep the log where only the broker's user may write, and start it with a new directory.",
    });
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
