import { vmError } from "../errors.js";

export interface MountFact {
  readonly target: string;
  readonly type: string;
  readonly readOnly: boolean;
}

export interface StatusFacts {
  /** Real, effective, saved, file system. */
  readonly uids: readonly number[];
  readonly gids: readonly number[];
  readonly groups: readonly number[];
  /** Sets that are not empty, as `CapEff=000001ffffffffff`; an unprivileged process has none. */
  readonly capabilities: readonly string[];
  readonly noNewPrivileges: boolean;
  /** 0 none, 1 strict, 2 filter: see proc(5). */
  readonly seccomp: number;
  readonly threads: number;
}

export type DescriptorKind =
  | "socket"
  | "pipe"
  | "event"
  | "memory"
  | "device"
  | "file"
  | "kvm"
  | "other";

/** Interface names of /proc/<pid>/net/dev, sorted. */
export const parseInterfaces = (text: string): readonly string[] =>
  text
    .split("\n")
    .slice(2)
    .flatMap((line) => /^\s*([^\s:]+):/.exec(line)?.[1] ?? [])
    .sort();

/** Mount points of /proc/<pid>/mountinfo, sorted. */
export const parseMounts = (text: string): readonly MountFact[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [before, after] = line.split(" - ", 2);
      const fields = before?.split(" ") ?? [];
      const [target, options] = [fields[4], fields[5]];
      const type = after?.split(" ")[0];
      if (target === undefined || options === undefined || type === undefined) {
        throw vmError("OBSERVATION", "mountinfo has a line that proc(5) doesn't describe");
      }
      return { target, type, readOnly: options.split(",").includes("ro") };
    })
    .sort((left, right) => (left.target < right.target ? -1 : left.target > right.target ? 1 : 0));

export const parseStatus = (text: string): StatusFacts => {
  const field = (name: string): string => {
    const value = new RegExp(`^${name}:[ \\t]*(.*?)[ \\t]*$`, "m").exec(text)?.[1];
    if (value === undefined) throw vmError("OBSERVATION", `no ${name} in /proc/<pid>/status`);
    return value;
  };
  const numbers = (name: string): readonly number[] =>
    field(name)
      .split(/\s+/)
      .filter((word) => word !== "")
      .map(Number);
  return {
    uids: numbers("Uid"),
    gids: numbers("Gid"),
    groups: numbers("Groups"),
    capabilities: ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"].flatMap((set) =>
      /^0+$/.test(field(set)) ? [] : [`${set}=${field(set)}`],
    ),
    noNewPrivileges: field("NoNewPrivs") === "1",
    seccomp: Number(field("Seccomp")),
    threads: Number(field("Threads")),
  };
};

/** The soft limit of a line in /proc/<pid>/limits; null is "unlimited". */
export const parseLimit = (text: string, name: string): number | null => {
  const line = text.split("\n").find((candidate) => candidate.startsWith(name));
  const soft = line?.slice(name.length).trim().split(/\s+/)[0];
  if (soft === undefined) throw vmError("OBSERVATION", `no "${name}" in /proc/<pid>/limits`);
  return soft === "unlimited" ? null : Number(soft);
};

/** What the link /proc/<pid>/fd/N says a descriptor is; see proc(5). */
export const descriptorKind = (target: string): DescriptorKind => {
  if (target.startsWith("socket:[")) return "socket";
  if (target.startsWith("pipe:[")) return "pipe";
  if (/^anon_inode:\[?(eventfd|eventpoll|signalfd|timerfd|io_uring)\]?$/.test(target)) {
    return "event";
  }
  if (/^anon_inode:\[?kvm/.test(target)) return "kvm";
  if (target.startsWith("/memfd:")) return "memory";
  if (target === "/dev/kvm") return "kvm";
  if (target.startsWith("/dev/")) return "device";
  return target.startsWith("/") ? "file" : "other";
};

/** From `flags:` of /proc/<pid>/fdinfo/N: octal, the lowest two bits are the access mode. */
export const isWritable = (fdinfo: string): boolean => {
  const flags = /^flags:\s*([0-7]+)$/m.exec(fdinfo)?.[1];
  if (flags === undefined) throw vmError("OBSERVATION", "no flags in /proc/<pid>/fdinfo");
  return (Number.parseInt(flags, 8) & 0o3) !== 0;
};
