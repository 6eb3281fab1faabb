import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { systemTimers } from "../../system-timers.js";
import type { DnsServer } from "../../testing/dns-server.js";
import { RESOLVER_LIMITS } from "../limits.js";
import type { Resolution, Resolver } from "../resolution.js";
import { createResolver } from "../resolver.js";

export const HOST = "www.example.com";

/** Long enough for any answer on a busy machine. */
export const PATIENT_MS = 10_000;

export const resolverOf = (
  servers: readonly Pick<DnsServer, "address" | "port">[],
  timeoutMs = PATIENT_MS,
): Resolver =>
  createResolver({
    servers,
    limits: { ...RESOLVER_LIMITS, timeoutMs },
    random: (bytes) => randomBytes(bytes),
    timers: systemTimers,
  });

export const never: AbortSignal = new AbortController().signal;

/** Sockets with a descriptor that are connected to the server, as the kernel lists them. */
export const socketsTo = ({ port }: Pick<DnsServer, "port">): number => {
  const remote = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const lines = ["udp", "tcp"].flatMap((kind) =>
    readFileSync(`/proc/self/net/${kind}`, "utf8").split("\n").slice(1),
  );
  const fields = lines.map((line) => line.trim().split(/\s+/));
  // Columns of proc(5): the third is the remote address, the tenth the inode, 0 once it is closed.
  return fields.filter((field) => field[2]?.endsWith(remote) && field[9] !== "0").length;
};

/** The reason, or the addresses: bytes in decimal, separated by dots. */
export const outcome = (resolution: Resolution): string =>
  resolution.kind === "refused"
    ? resolution.reason
    : resolution.addresses.map(({ bytes }) => bytes.join(".")).join(" ");
