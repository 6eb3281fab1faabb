import { join } from "node:path";
import { sealError } from "../errors.js";
import { parseRefLines } from "../git/parse-remote-refs.js";
import { reason, requireSuccess, runGit, succeeded } from "../git/run.js";
import { display } from "../names/display.js";
import { OBJECT_ID, type OfferedRefs, resolveRef } from "../repository/resolve-ref.js";
import { peelToCommit } from "../vault/peel.js";
import { createVault, formatOf, type Vault, vaultCall } from "../vault/vault.js";
import { archiveCommit } from "./archive-commit.js";
import type { SourceRequest } from "./request.js";
import type { SealedSource, SealPorts } from "./result.js";

const SEALED_REF = "refs/drydock/sealed";

/** Seals a commit of a remote repository: its refs are listed first, then exactly one is fetched. */
export const sealRemote = async (
  request: Extract<SourceRequest, { kind: "remote" }>,
  ports: SealPorts,
): Promise<SealedSource> => {
  const format = OBJECT_ID.test(request.ref) ? formatOf(request.ref) : "sha1";
  const vault = createVault(join(ports.workspace, "vault"), format, ports.vaultOwner);
  const resolved = OBJECT_ID.test(request.ref)
    ? { ref: request.ref, oid: request.ref }
    : resolveRef(request.ref, await listRemote(request.url, vault, ports));
  await remoteGit(ports, vault, request.url, [
    "fetch",
    "--quiet",
    "--depth=1",
    "--no-tags",
    "--no-write-fetch-head",
    "--no-auto-maintenance",
    "--no-recurse-submodules",
    "--end-of-options",
    request.url,
    `${resolved.ref}:${SEALED_REF}`,
  ]);
  const fetched = await runGit(
    ports.git,
    vaultCall(vault, ports.limits, ["rev-parse", "--verify", "--end-of-options", SEALED_REF]),
  );
  if (!succeeded(fetched.exit) || fetched.stdout.toString("latin1").trim() !== resolved.oid) {
    throw sealError("SOURCE_CHANGED", `${display(resolved.ref)} moved while it was fetched`, {
      fix: "run it again, or name the commit by its full id",
    });
  }
  const commit = await peelToCommit(ports.git, vault, ports.limits, resolved);
  const sealed = await archiveCommit(ports, vault, commit, "");
  return {
    identity: {
      claim: "commit",
      from: "url",
      commit,
      tree: sealed.tree,
      ref: resolved.ref,
      prefix: "",
      remote: request.url,
      bundle: undefined,
    },
    archive: sealed.archive,
    notes: request.url.startsWith("http:") ? [{ kind: "unauthenticated-remote" }] : [],
  };
};

const listRemote = async (url: string, vault: Vault, ports: SealPorts): Promise<OfferedRefs> => {
  const args = ["ls-remote", "--quiet", "--symref", "--end-of-options", url];
  const lines = (await remoteGit(ports, vault, url, args)).toString("utf8").split("\n");
  const symbolic = lines.map((line) => /^ref: (refs\/\S+)\tHEAD$/.exec(line)?.[1]).find(Boolean);
  const refs = parseRefLines(
    // "^{}" lines say what an annotated tag leads to; the fetched objects say it again.
    lines.filter((line) => line !== "" && !line.startsWith("ref: ") && !line.endsWith("^{}")),
  );
  const oid = refs.get("HEAD");
  if ((oid ?? "").length === 64) {
    throw sealError("REPOSITORY_FORMAT", `${display(url)} uses SHA-256 object names`, {
      fix: "clone it yourself and give the directory",
    });
  }
  return { refs, head: oid === undefined ? undefined : { ref: symbolic ?? "HEAD", oid } };
};

const remoteGit = async (
  ports: SealPorts,
  vault: Vault,
  url: string,
  args: readonly string[],
): Promise<Buffer> => {
  const { stdout, exit } = await runGit(
    ports.git,
    vaultCall(vault, ports.limits, args, {
      network: "remote",
      deadlineMs: ports.limits.remoteMs,
    }),
  );
  if (exit.kind !== "exited") requireSuccess(exit, args[0] ?? "");
  if (succeeded(exit)) return stdout;
  throw sealError("REMOTE_FAILED", `${display(url)}: ${reason(exit)}`, {
    fix: "check the URL and the ref; private repositories: clone it yourself, give the directory",
  });
};
