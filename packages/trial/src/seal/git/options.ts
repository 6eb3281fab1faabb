import type { GitNetwork } from "./environment.js";

/**
 * Configuration of every git call, given on the command line, where it beats any file. The vault's
 * own configuration is written by us and the source's is never opened; these options hold even if
 * one of the two assumptions breaks.
 */
export const gitOptions = (network: GitNetwork): readonly string[] =>
  [
    // Nothing that runs a program.
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.sshCommand=/bin/false",
    "core.alternateRefsCommand=/bin/true",
    "core.askPass=/bin/false",
    "credential.helper=",
    "gc.auto=0",
    "maintenance.auto=false",
    // Nothing that rewrites what is read.
    "core.attributesFile=/dev/null",
    "core.excludesFile=/dev/null",
    "core.untrackedCache=false",
    "core.autocrlf=false",
    "submodule.recurse=false",
    "fetch.recurseSubmodules=false",
    // Caches beside the objects may contradict them; the objects carry their own hashes.
    "core.commitGraph=false",
    "core.multiPackIndex=false",
    "pack.useBitmaps=false",
    // Objects are checked wherever they come in, for every file system they may be unpacked on.
    "transfer.fsckObjects=true",
    "fetch.fsckObjects=true",
    "core.protectHFS=true",
    "core.protectNTFS=true",
    // A protocol is allowed by name; a redirect would make the recorded remote untrue.
    "protocol.allow=never",
    ...(network === "remote" ? ["protocol.https.allow=always", "protocol.http.allow=always"] : []),
    "http.followRedirects=false",
    "http.lowSpeedLimit=1",
    "http.lowSpeedTime=60",
    // The vault lives for one sealing: storing is cheaper than deflating and inflating again.
    "core.compression=0",
    // Two cores are shared with whatever else the machine runs.
    "pack.threads=1",
    "index.threads=1",
  ].flatMap((option) => ["-c", option]);
