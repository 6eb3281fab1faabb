import type { AppendFile } from "@drydock/evidence";

/** A write that is still cheap, and little to lose with the process. */
const MAX_BATCH_BYTES = 64 * 1024;

/**
 * Joins appends into one write. `later` is asked once a batch: a broker that opens thousands of
 * tunnels a second would otherwise spend a good part of it in write(2). What waits is written
 * before `sync` returns. After a write that failed, as on a full disk, every call throws what it
 * threw: what comes next would follow half a line.
 */
export const batched = (file: AppendFile, later: (flush: () => void) => void): AppendFile => {
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  let failure: { readonly error: unknown } | null = null;
  const flush = (): void => {
    if (failure !== null) throw failure.error;
    if (waiting.length === 0) return;
    const batch = Buffer.concat(waiting);
    waiting = [];
    bytes = 0;
    try {
      file.append(batch);
    } catch (error) {
      failure = { error };
      throw error;
    }
  };
  return {
    append: (line) => {
      if (failure !== null) throw failure.error;
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
