import { spawn } from "node:child_process";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import zlib from "node:zlib";
import { imageError } from "../errors.js";
import type { ArchiveLimits } from "../tar/limits.js";
import { checkExpansion } from "./expansion.js";
import type { Compression } from "./layer-type.js";

const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);
const ZSTD_MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
/** The default of zstd's own decoder; frames that need a larger window are refused. */
const ZSTD_MEMORY = "--memory=128MB";
/** "nobody": a decoder that hostile input takes over gets nothing of root's. */
const NOBODY = 65534;

/**
 * Expands a layer piece by piece and stops as soon as it grows out of proportion: a bomb is
 * refused after some megabytes, not after it has filled the disk.
 */
export const decompress = async function* (
  source: AsyncIterable<Buffer>,
  compression: Compression,
  limits: Pick<ArchiveLimits, "ratio" | "ratioSlackBytes">,
): AsyncGenerator<Buffer> {
  let read = 0;
  let written = 0;
  const counted = async function* (): AsyncGenerator<Buffer> {
    for await (const piece of source) {
      read += piece.length;
      yield piece;
    }
  };
  try {
    for await (const piece of expand(counted(), compression)) {
      written += piece.length;
      checkExpansion(read, written, limits);
      yield piece;
    }
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code?.startsWith("Z_") !== true) throw cause;
    throw imageError("IMAGE_FORMAT", `a layer's compression is damaged (${code})`, { cause });
  }
};

const expand = async function* (
  source: AsyncGenerator<Buffer>,
  compression: Compression,
): AsyncGenerator<Buffer> {
  const first = await source.next();
  const head = first.done === true ? Buffer.alloc(0) : first.value;
  const whole = async function* (): AsyncGenerator<Buffer> {
    yield head;
    yield* source;
  };
  switch (compression === "detect" ? detect(head) : compression) {
    case "none":
      yield* whole();
      return;
    case "gzip":
      yield* gunzip(whole());
      return;
    case "zstd":
      yield* unzstd(whole());
      return;
  }
};

const gunzip = async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const decoder = zlib.createGunzip();
  // A failure of either side destroys the decoder, so that the loop below throws it.
  pipeline(Readable.from(source), decoder).catch(() => undefined);
  for await (const piece of decoder) yield piece as Buffer;
};

const detect = (head: Buffer): "none" | "gzip" | "zstd" => {
  if (head.subarray(0, GZIP_MAGIC.length).equals(GZIP_MAGIC)) return "gzip";
  return head.subarray(0, ZSTD_MAGIC.length).equals(ZSTD_MAGIC) ? "zstd" : "none";
};

const unzstd = async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const root = process.geteuid?.() === 0;
  const child = spawn("zstd", ["-d", "-c", "-q", ZSTD_MEMORY], {
    cwd: "/",
    env: { PATH: "/usr/bin:/bin" },
    stdio: ["pipe", "pipe", "ignore"],
    ...(root ? { uid: NOBODY, gid: NOBODY } : {}),
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  ended.catch(() => undefined);
  // A decoder that gives up closes its input; its exit status below says so.
  child.stdin.on("error", () => undefined);
  const feed = (async () => {
    for await (const piece of source) {
      if (child.stdin.destroyed) return;
      if (!child.stdin.write(piece)) {
        await Promise.race([new Promise((resolve) => child.stdin.once("drain", resolve)), ended]);
      }
    }
    child.stdin.end();
  })();
  feed.catch(() => child.kill("SIGKILL"));
  try {
    for await (const piece of child.stdout) yield piece as Buffer;
    await feed;
    const code = await ended;
    if (code !== 0) throw imageError("IMAGE_FORMAT", "a layer's zstd compression is damaged");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw cause;
    throw imageError("IMAGE_TOOL_MISSING", "the image has a layer compressed with zstd", {
      fix: "apt-get install zstd",
      cause,
    });
  } finally {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
  }
};
