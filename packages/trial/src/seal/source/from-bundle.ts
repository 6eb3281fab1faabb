import { createHash, type Hash } from "node:crypto";
import { createReadStream, realpathSync } from "node:fs";
import { join } from "node:path";
import { sealError } from "../errors.js";
import { ByteReader } from "../io/byte-reader.js";
import { display } from "../names/display.js";
import { openRegular } from "../repository/read-file.js";
import { resolveRef } from "../repository/resolve-ref.js";
import { importPack } from "../vault/import.js";
import { peelToCommit } from "../vault/peel.js";
import { createVault } from "../vault/vault.js";
import { archiveCommit } from "./archive-commit.js";
import { readBundleHeader } from "./bundle-header.js";
import type { SourceRequest } from "./request.js";
import type { SealedSource, SealPorts } from "./result.js";

/** Seals a commit of a bundle file. The header is parsed here; git sees only the pack. */
export const sealBundle = async (
  request: Extract<SourceRequest, { kind: "bundle" }>,
  ports: SealPorts,
): Promise<SealedSource> => {
  const descriptor = openRegular(realpathSync(request.path));
  if (descriptor === undefined) {
    throw sealError("SOURCE_NOT_FOUND", `no such file: ${display(request.path)}`, {
      fix: "check the path given with --source",
    });
  }
  const hash = createHash("sha256");
  const stream = createReadStream("", { fd: descriptor });
  try {
    const reader = new ByteReader(hashed(stream, hash), () =>
      sealError("BUNDLE_BAD", "the bundle ends inside its header, or a line is too long", {
        fix: "create it with git bundle create FILE --all",
      }),
    );
    const { format, offered } = await readBundleHeader(reader);
    const resolved = resolveRef(request.ref, offered);
    const vault = createVault(join(ports.workspace, "vault"), format, ports.vaultOwner);
    await importPack(ports.git, vault, ports.limits, reader.rest());
    const commit = await peelToCommit(ports.git, vault, ports.limits, resolved);
    const sealed = await archiveCommit(ports, vault, commit, "");
    return {
      identity: {
        claim: "commit",
        from: "bundle",
        commit,
        tree: sealed.tree,
        ref: resolved.ref,
        prefix: "",
        remote: undefined,
        bundle: `sha256:${hash.digest("hex")}`,
      },
      archive: sealed.archive,
      notes: [],
    };
  } finally {
    stream.destroy();
  }
};

async function* hashed(source: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    hash.update(chunk);
    yield chunk;
  }
}
