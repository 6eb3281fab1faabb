import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type BulkStream, parseGlob } from "@drydock/wire";
import { type PackResult, packMatches } from "../tar/pack.js";
import { AgentError } from "./errors.js";
import type { Collect } from "./platform.js";
import { resolveInRoot } from "./resolve.js";

/** Sends what matches as a tar stream. @throws AgentError bad-glob, collect-failed */
export const collect = async (
  root: string,
  message: Collect,
  stream: BulkStream,
): Promise<PackResult> => {
  stream.resume();
  const result = { files: 0, bytes: 0, skipped: 0, truncated: false };
  try {
    const globs = message.globs.map(parsed);
    const directory = resolveInRoot(root, message.root);
    const tar = packMatches(directory, globs, message.limits, result);
    await pipeline(Readable.from(tar, { objectMode: false }), stream);
    return result;
  } catch (error) {
    stream.destroy();
    throw error instanceof AgentError ? error : new AgentError("collect-failed", "pack", error);
  }
};

const parsed = (glob: string) => {
  try {
    return parseGlob(glob);
  } catch (error) {
    throw new AgentError("bad-glob", glob, error);
  }
};
