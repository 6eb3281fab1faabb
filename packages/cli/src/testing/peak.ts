import { readdirSync, readFileSync } from "node:fs";

const POLL_MS = 20;

/**
 * The most resident memory, in bytes, that any process of a tree had, its VMMs and the keepers of
 * golden memory left out. The kernel keeps the high-water mark; we only have to look before the end.
 */
export const watchPeak = (root: number): { stop(): number } => {
  let peak = 0;
  const look = (): void => {
    for (const pid of treeOf(root)) peak = Math.max(peak, highWater(pid));
  };
  const timer = setInterval(look, POLL_MS);
  return {
    stop: () => {
      clearInterval(timer);
      return peak;
    },
  };
};

const treeOf = (root: number): readonly number[] => {
  const children = new Map<number, number[]>();
  for (const name of readdirSync("/proc")) {
    if (!/^[1-9][0-9]*$/.test(name)) continue;
    const parent = Number(field(Number(name), "PPid"));
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const tree: number[] = [];
  for (const next = [root]; next.length > 0; ) {
    const pid = next.pop() ?? 0;
    tree.push(pid);
    next.push(...(children.get(pid) ?? []));
  }
  return tree.filter((pid) => !["qemu", "drydock-native"].includes(field(pid, "Name") ?? "qemu"));
};

const highWater = (pid: number): number => Number(field(pid, "VmHWM")?.split(" ")[0] ?? 0) * 1024;

const field = (pid: number, name: string): string | undefined => {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return new RegExp(`^${name}:\\s*(.*)$`, "m").exec(status)?.[1];
  } catch (error) {
    // It has ended since it was listed.
    if (["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
};
