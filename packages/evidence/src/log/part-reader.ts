import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  MessageChannel,
  type MessagePort,
  receiveMessageOnPort,
  Worker,
} from "node:worker_threads";
import type { LogFoldOptions, LogPart } from "./fold.js";
import { RANGE_BYTES } from "./range.js";
import type { LogSource } from "./source.js";

/** A second thread that reads one range of a log while this one reads another. */
export interface PartReader {
  /** @param from where the range begins, in bytes. */
  start(from: number): void;
  /** Waits; null when the range has to be read here after all. */
  finish(): LogPart | null;
  close(): void;
}

export interface PartReaderData {
  readonly source: LogSource;
  readonly options: LogFoldOptions;
  readonly control: SharedArrayBuffer;
  readonly port: MessagePort;
}

/** Places in the control array. */
export const STATE = 0;
/** In ranges, since bytes would leave 32 bits behind. */
export const RANGE = 1;
/** Values of STATE. */
export const IDLE = 0;
export const BUSY = 1;
export const CLOSED = 2;

/** A range takes some ten milliseconds; a thread this late never started. */
const PATIENCE_MS = 20_000;

/** @returns null where the thread's file isn't shipped, as in a bundle of one file. */
export const openPartReader = (source: LogSource, options: LogFoldOptions): PartReader | null => {
  const file = new URL("./part-thread.js", import.meta.url);
  if (!existsSync(fileURLToPath(file))) return null;
  const shared = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);
  const control = new Int32Array(shared);
  const { port1: here, port2: port } = new MessageChannel();
  const workerData: PartReaderData = { source, options, control: shared, port };
  const worker = new Worker(file, { workerData, transferList: [port] });
  worker.unref();
  // Nothing is lost with the thread: what it doesn't deliver in time is read here.
  worker.on("error", () => undefined);
  let lost = false;
  return {
    start: (from) => {
      if (lost) return;
      control[RANGE] = from / RANGE_BYTES;
      Atomics.store(control, STATE, BUSY);
      Atomics.notify(control, STATE);
    },
    finish: () => {
      if (lost) return null;
      lost = Atomics.wait(control, STATE, BUSY, PATIENCE_MS) === "timed-out";
      const message: LogPart | null | undefined = receiveMessageOnPort(here)?.message;
      return message ?? null;
    },
    close: () => {
      Atomics.store(control, STATE, CLOSED);
      Atomics.notify(control, STATE);
      here.close();
      void worker.terminate();
    },
  };
};
