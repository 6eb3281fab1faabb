import { constants } from "node:fs";
import { type FileHandle, open, rename, unlink } from "node:fs/promises";
import { DrydockError } from "@drydock/evidence";
import type { ArtifactSink, ArtifactStore } from "./store.js";

/** Files of a directory that stays the same one whatever happens to its path. */
export interface DirectoryStore extends ArtifactStore {
  /** Writes a file of ours beside the artifacts, for example `artifacts.json`. */
  writeFile(name: string, contents: Buffer): Promise<void>;
  /** Makes the directory's entries durable and closes it. */
  close(): Promise<void>;
}

/** Names of ours: digests, `artifacts.json`. The guest chooses none of them. */
const NAME = /^[a-z0-9][a-z0-9.]{0,127}$/;

/**
 * Opens an existing directory for artifacts. Files are created 0600, exclusively, without following
 * links, relative to the opened directory (Node has no openat(2); /proc/self/fd stands in).
 *
 * @throws DrydockError QUARANTINE_DIRECTORY
 */
export const openDirectoryStore = async (path: string): Promise<DirectoryStore> => {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  const directory = await open(path, flags).catch((cause: unknown) => {
    throw new DrydockError("QUARANTINE_DIRECTORY", `cannot open ${path} for artifacts`, {
      fix: "the run directory must exist and be writable by the port process",
      cause,
    });
  });
  const inside = (name: string): string => {
    if (!NAME.test(name) && !/^\.incoming-[0-9]+$/.test(name)) throw new RangeError(name);
    return `/proc/self/fd/${directory.fd}/${name}`;
  };
  let started = 0;
  return {
    begin: async () => {
      const temporary = inside(`.incoming-${started}`);
      started += 1;
      return sink(await create(temporary), temporary, inside);
    },
    writeFile: async (name, contents) => {
      const file = await create(inside(name));
      await writeAll(file, contents);
      await file.sync();
      await file.close();
    },
    close: async () => {
      await directory.sync();
      await directory.close();
    },
  };
};

const sink = (
  file: FileHandle,
  temporary: string,
  inside: (name: string) => string,
): ArtifactSink => ({
  write: (chunk) => writeAll(file, chunk),
  commit: async (name) => {
    await file.sync();
    await file.close();
    // Equal contents have an equal name: replacing one by the other changes nothing.
    await rename(temporary, inside(name));
  },
  discard: async () => {
    await file.close();
    await unlink(temporary);
  },
});

const create = (path: string): Promise<FileHandle> =>
  open(
    path,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
    0o600,
  );

const writeAll = async (file: FileHandle, bytes: Buffer): Promise<void> => {
  for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten;
};
