import type { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import type { BulkStream } from "@drydock/wire";
import { TarReader } from "../tar/read.js";
import { type PutCounts, Unpacker } from "../tar/unpack.js";
import { AgentError } from "./errors.js";
import type { Put } from "./platform.js";
import { makeInRoot } from "./resolve.js";

/** Unpacks the tar stream into the destination. @throws AgentError unsafe-archive, put-failed */
export const put = async (root: string, message: Put, stream: BulkStream): Promise<PutCounts> => {
  stream.end();
  try {
    return await unpack(makeInRoot(root, message.destination, message.owner), message, stream);
  } catch (error) {
    stream.destroy();
    throw error instanceof AgentError ? error : new AgentError("put-failed", "unpack", error);
  }
};

/** File system calls are synchronous: under emulation a thread switch costs more than the call. */
const unpack = async (directory: string, { owner }: Put, stream: Readable): Promise<PutCounts> => {
  const unpacker = new Unpacker(directory, owner);
  const reader = new TarReader(unpacker);
  let failure: unknown = null;
  stream.on("data", (bytes: Buffer) => {
    if (failure !== null) return;
    try {
      reader.push(bytes);
    } catch (error) {
      failure = error;
      stream.destroy();
    }
  });
  try {
    await finished(stream).catch((error: unknown) => {
      throw failure ?? error;
    });
    reader.end();
    return unpacker.complete();
  } finally {
    unpacker.close();
  }
};
