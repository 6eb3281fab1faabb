import { basename, dirname } from "node:path";
import type { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { DrydockError } from "@drydock/evidence";
import { extract, pack } from "tar-stream";

/** A file that the SDK reads into memory; larger ones are artifacts. */
const MAX_READ_BYTES = 64 * 1024 * 1024;

/** Writes an archive of one file, named as `path` is, to `stream`. */
export const sendFile = (
  path: string,
  contents: string | Uint8Array,
  stream: Writable,
): Promise<void> => {
  const archive = pack();
  archive.entry({ name: basename(path), mode: 0o644 }, Buffer.from(contents));
  archive.finalize();
  return pipeline(archive, stream);
};

/** Where the agent has to look for a file, and by which pattern. */
export const placeOf = (path: string): { readonly root: string; readonly glob: string } => ({
  root: dirname(path),
  glob: basename(path),
});

/**
 * The contents of `path` from the archive that the guest sends. What else is in it, whatever the
 * guest's reasons, is not the file: a name may be a pattern that matches others too.
 *
 * @throws DrydockError FILE_NOT_FOUND, FILE_TOO_LARGE; or how the stream broke
 */
export const receiveFile = async (path: string, stream: Readable): Promise<Buffer> => {
  const wanted = basename(path);
  const chunks: Buffer[] = [];
  let found = false;
  let size = 0;
  const reader = extract();
  reader.on("entry", ({ type, name }, content, next) => {
    if (type === "file" && name === wanted && !found) {
      found = true;
      content.on("data", (data: unknown) => {
        const chunk = data as Buffer;
        size += chunk.length;
        if (size > MAX_READ_BYTES) reader.destroy(tooLarge(path));
        else chunks.push(chunk);
      });
    } else content.resume();
    content.on("end", next);
  });
  await pipeline(stream, reader);
  if (!found)
    throw new DrydockError("FILE_NOT_FOUND", `the guest has no file ${path}`, {
      fix: "Only plain files can be read.",
    });
  return Buffer.concat(chunks);
};

const tooLarge = (path: string): DrydockError =>
  new DrydockError("FILE_TOO_LARGE", `${path} is over ${MAX_READ_BYTES} bytes`, {
    fix: "Collect it as an artifact.",
  });
