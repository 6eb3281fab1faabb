import { rmSync } from "node:fs";
import {
  type Aim,
  type ApplyPorts,
  type Proof,
  proveBoundary,
  type ReadbackReceipt,
  readbackReceiptOf,
  see,
  signReadbackReceipt,
} from "@drydock/boundary";
import { readNamedFile, signingKeyFromPem } from "@drydock/evidence";
import { usage } from "../usage.js";
import { replaceFile, requireReplaceable } from "./replace-file.js";

/** Where a readback receipt is kept, and whose it is. */
export interface ReceiptFlags {
  readonly receipt?: string;
  readonly receiptKey?: string;
}

/** What a broker that requires a receipt looks at. */
export interface ReceiptFile {
  /** Replaces the one before at once: nobody reads half of one. */
  write(receipt: ReadbackReceipt): void;
  /** Until the next one, nothing goes out. */
  withdraw(): void;
}

/**
 * @returns null where nobody wants a receipt
 * @throws DrydockError USAGE, FILE_UNREADABLE, FILE_UNWRITABLE, KEY_FORMAT
 */
export const openReceiptFile = ({
  receipt: file,
  receiptKey,
}: ReceiptFlags): ReceiptFile | null => {
  if (file === undefined && receiptKey === undefined) return null;
  if (file === undefined || receiptKey === undefined)
    throw usage("a receipt is a file and a key", "Give --receipt and --receipt-key, or neither.");
  requireReplaceable(file);
  const key = signingKeyFromPem(readNamedFile(receiptKey).toString("latin1"));
  return {
    write: (receipt) => replaceFile(file, signReadbackReceipt(receipt, key)),
    withdraw: () => rmSync(file, { force: true }),
  };
};

/** Whatever ends `work` early takes the receipt along: what it said may not hold any longer. */
export const orWithdraw = async <T>(
  file: ReceiptFile | null,
  work: () => Promise<T>,
): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    file?.withdraw();
    throw error;
  }
};

/**
 * Reads everything back now, and leaves the receipt of what that proves: bringing a boundary up can
 * take longer than a receipt is fresh.
 */
export const proveNow = async (
  file: ReceiptFile,
  aim: Aim,
  ports: Pick<ApplyPorts, "engine" | "kernel">,
): Promise<Proof> => {
  const observedAt = new Date();
  const seen = await see(aim, ports);
  const proof = proveBoundary(aim, seen);
  const receipt = readbackReceiptOf(proof, seen.topology, observedAt);
  if (receipt === null) file.withdraw();
  else file.write(receipt);
  return proof;
};
