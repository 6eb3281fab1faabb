import { sealError } from "../errors.js";
import { parseRefLines } from "../git/parse-remote-refs.js";
import type { ByteReader } from "../io/byte-reader.js";
import type { OfferedRefs } from "../repository/resolve-ref.js";
import type { ObjectFormat } from "../vault/vault.js";

export interface BundleHeader {
  readonly format: ObjectFormat;
  readonly offered: OfferedRefs;
}

const LINE_BYTES = 4096;
const MAX_LINES = 200_000;

/**
 * Reads the header of a bundle (gitformat-bundle(5)) up to the first byte of its pack.
 *
 * @throws BUNDLE_BAD, or BUNDLE_INCOMPLETE for one that builds on commits it does not carry.
 */
export const readBundleHeader = async (reader: ByteReader): Promise<BundleHeader> => {
  const signature = (await line(reader)).toString("latin1");
  if (signature !== "# v2 git bundle" && signature !== "# v3 git bundle") {
    throw bad("it does not begin like a bundle");
  }
  let format: ObjectFormat = "sha1";
  const refs: string[] = [];
  for (let count = 0; ; count += 1) {
    if (count > MAX_LINES) throw bad("its header does not end");
    const text = (await line(reader)).toString("utf8");
    if (text === "") break;
    if (text.startsWith("@") && signature === "# v3 git bundle") {
      if (text.startsWith("@filter=")) throw incomplete("it leaves objects out (a filter)");
      if (text !== "@object-format=sha1" && text !== "@object-format=sha256") {
        throw bad("it asks for an unknown capability");
      }
      format = text === "@object-format=sha256" ? "sha256" : "sha1";
    } else if (text.startsWith("-")) {
      throw incomplete("it builds on commits that it does not carry");
    } else {
      refs.push(text);
    }
  }
  const offered = parseRefLines(refs);
  const head = offered.get("HEAD");
  return {
    format,
    offered: { refs: offered, head: head === undefined ? undefined : { ref: "HEAD", oid: head } },
  };
};

const line = async (reader: ByteReader): Promise<Buffer> => {
  const bytes = await reader.line(LINE_BYTES);
  if (bytes === undefined) throw bad("it ends inside its header");
  return bytes;
};

const FIX = "create it with git bundle create FILE --all";

const bad = (why: string): Error =>
  sealError("BUNDLE_BAD", `not a usable bundle: ${why}`, { fix: FIX });

const incomplete = (why: string): Error =>
  sealError("BUNDLE_INCOMPLETE", `the bundle is not complete: ${why}`, { fix: FIX });
