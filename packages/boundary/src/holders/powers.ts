import type { EngineContainer } from "../engine/index.js";
import { KNOWN_SOCKETS } from "./known-sockets.js";
import { isWithin } from "./within.js";

/** How a container can tell an engine what to do, or become one. */
export type Access = "socket" | "api" | "host";

export interface Powers {
  /** null: it has no authority that it could hand on. */
  readonly access: Access | null;
  /** What no holder may have, even one that is signed: each would be more than the engine's word. */
  readonly overprivileged: readonly string[];
}

/**
 * Capabilities (capabilities(7)) with which a container can get out of its namespaces, change the
 * rules that hold it or the clock by which a look is fresh, or read any file: each is more than what
 * the engine gives by default.
 */
const DANGEROUS_CAPABILITIES = new Set([
  "ALL",
  "BPF",
  "DAC_READ_SEARCH",
  "MAC_ADMIN",
  "MAC_OVERRIDE",
  "NET_ADMIN",
  "PERFMON",
  "SYS_ADMIN",
  "SYS_BOOT",
  "SYS_MODULE",
  "SYS_PTRACE",
  "SYS_RAWIO",
  "SYS_TIME",
]);

/**
 * What of a container gives it authority over an engine or over the host that the engine runs on.
 *
 * @param sockets of the engine, as a container could have mounted them.
 * @param mountsSocket whether the kernel shows one of them among its mounts.
 */
export const powersOf = (
  { authority }: EngineContainer,
  sockets: readonly string[],
  mountsSocket = false,
): Powers => {
  const overprivileged = [
    ...(authority.privileged ? ["privileged"] : []),
    ...(authority.hostPid ? ["host-pid"] : []),
    ...(authority.hostNetwork ? ["host-network"] : []),
    ...(authority.hostIpc ? ["host-ipc"] : []),
    ...(authority.devices > 0 ? ["devices"] : []),
    ...authority.capabilities
      .map((name) => name.toUpperCase().replace(/^CAP_/, ""))
      .filter((name) => DANGEROUS_CAPABILITIES.has(name))
      .map((name) => `capability ${name}`),
    ...authority.securityOptions
      .filter((option) => /(?:[:=]|^)(?:unconfined|disable)$/.test(option))
      .map((option) => `security option ${option}`),
  ];
  const hasSocket =
    mountsSocket || authority.binds.some((source) => reachesEngine(source, sockets));
  const isClient = authority.environmentNames.some((name) => name === "DOCKER_HOST");
  const access = hasSocket
    ? "socket"
    : isClient
      ? "api"
      : overprivileged.length > 0
        ? "host"
        : null;
  return { access, overprivileged };
};

/**
 * Whether a mount gives an engine away: its socket, or any directory above it.
 *
 * @param sockets of the engine, beside those where engines usually listen.
 */
export const reachesEngine = (source: string, sockets: readonly string[]): boolean =>
  [...KNOWN_SOCKETS, ...sockets].some((socket) => reaches(source, socket));

/** A mount of the socket, or of any directory above it. /var/run is /run (FHS 3.0, 5.13). */
const reaches = (source: string, socket: string): boolean =>
  isWithin(normal(socket), normal(source));

const normal = (path: string): string => {
  const trimmed = path.replace(/\/+/g, "/").replace(/(?!^)\/$/, "");
  return trimmed.startsWith("/var/run/") || trimmed === "/var/run" ? trimmed.slice(4) : trimmed;
};
