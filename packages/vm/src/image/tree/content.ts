import { closeSync, openSync, readSync } from "node:fs";
import { imageError } from "../errors.js";
import type { Content } from "./node.js";

/** A content whole in memory; refuses one of more than `limit` bytes. */
export const readContent = (content: Content, limit: number): Buffer => {
  if (content.size > limit) {
    throw imageError("IMAGE_BOUND", `a file of ${content.size} bytes exceeds ${limit}`);
  }
  if (content.kind === "bytes") return content.bytes;
  const buffer = Buffer.alloc(content.size);
  const descriptor = openSync(content.path, "r");
  try {
    for (let at = 0; at < buffer.length; ) {
      const read = readSync(descriptor, buffer, at, buffer.length - at, content.offset + at);
      if (read === 0) throw imageError("IMAGE_INPUT", `${content.path} is shorter than expected`);
      at += read;
    }
    return buffer;
  } finally {
    closeSync(descriptor);
  }
};
