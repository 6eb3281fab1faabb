/** One line of /proc/<pid>/cgroup, see cgroups(7). */
export interface Membership {
  /** 0 is the unified hierarchy (version 2). */
  readonly hierarchy: number;
  readonly controllers: readonly string[];
  readonly path: string;
}

/** A mounted hierarchy, from /proc/<pid>/mountinfo, see proc(5). */
export interface CgroupMount {
  readonly version: 1 | 2;
  /** Super-block options, which for version 1 name the controllers. */
  readonly options: readonly string[];
  /** The cgroup that the mount point shows: "/" unless the mount was made inside a container. */
  readonly root: string;
  readonly mountPoint: string;
}

export const parseMemberships = (text: string): readonly Membership[] =>
  lines(text).flatMap((line) => {
    const [, hierarchy, controllers, path] = /^(\d+):([^:]*):(\/.*)$/.exec(line) ?? [];
    return hierarchy === undefined || controllers === undefined || path === undefined
      ? []
      : [{ hierarchy: Number(hierarchy), controllers: split(controllers, ","), path }];
  });

export const parseCgroupMounts = (mountinfo: string): readonly CgroupMount[] =>
  lines(mountinfo).flatMap((line) => {
    const [before, after] = line.split(" - ", 2);
    const fields = before?.split(" ") ?? [];
    const [type, , options] = after?.split(" ") ?? [];
    const [root, mountPoint] = [fields[3], fields[4]];
    if (root === undefined || mountPoint === undefined) return [];
    if (type !== "cgroup" && type !== "cgroup2") return [];
    return [
      {
        version: type === "cgroup2" ? (2 as const) : (1 as const),
        options: split(options ?? "", ","),
        root: unescapeOctal(root),
        mountPoint: unescapeOctal(mountPoint),
      },
    ];
  });

/** Words of `cgroup.controllers` and `cgroup.subtree_control`. */
export const parseControllers = (text: string): readonly string[] => split(text.trim(), " ");

export const parsePids = (text: string): readonly number[] =>
  lines(text).map(Number).filter(Number.isSafeInteger);

/** "max" and the largest value that version 1 can write both mean no limit. */
export const parseAmount = (text: string): number | null => {
  const trimmed = text.trim();
  if (!/^-?\d+$/.test(trimmed)) return null;
  const value = Number(trimmed);
  return value < 0 || !Number.isSafeInteger(value) ? null : value;
};

/** `cpu.max` of version 2: "QUOTA PERIOD", both in microseconds. */
export const parseCpuMax = (text: string): { quota: number | null; period: number } | undefined => {
  const [, quota, period] = /^(max|\d+) (\d+)$/.exec(text.trim()) ?? [];
  return quota === undefined || period === undefined
    ? undefined
    : { quota: quota === "max" ? null : Number(quota), period: Number(period) };
};

/** `key value` lines, e.g. memory.events. */
export const parseCounters = (text: string): ReadonlyMap<string, number> =>
  new Map(
    lines(text).flatMap((line): [string, number][] => {
      const [, key, value] = /^(\S+) (\d+)$/.exec(line) ?? [];
      return key === undefined || value === undefined ? [] : [[key, Number(value)]];
    }),
  );

const lines = (text: string): readonly string[] => text.split("\n").filter((line) => line !== "");

const split = (text: string, separator: string): readonly string[] =>
  text.split(separator).filter((word) => word !== "");

/** mountinfo writes space, tab, newline and backslash as three octal digits. */
const unescapeOctal = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_match, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
