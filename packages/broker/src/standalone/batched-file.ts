import type { AppendFile } from "@drydock/evidence";

/** A write that is still cheap, and little to lose with the process. */
const MAX_BATCH_BYTES = 64 * 1024;

/**
 * Joins appends into one write. `later` is asked once a batch: a broker that opens thousands of
 * tunnels a second would otherwise spend a good part of it in write(2). What waits is written
 * before `sync` returns.
 */
export const batched = (file: AppendFile, later: (flush: () => void) => void): AppendFile => {
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  const flush = (): void => {
    if (waiting.length === 0) return;
    const batch = Buffer.concat(waiting);
    waiting = [];
    bytes = 0;
    file.append(batch);
  };
  return {
    append: (line) => {
      if (waiting.length === 0) later(flush);
      waiting.push(line);
      bytes += line.length;
      if (bytes >= MAX_BATCH_BYTES) flush();
    },
    sync: () => {
      flush();
      file.sync();
    },
  };
};
