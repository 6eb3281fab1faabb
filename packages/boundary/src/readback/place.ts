/** Where on a packet's way a base chain stands. */
export interface Place {
  readonly family: string;
  readonly hook: string | null;
  readonly priority: number | null;
}

/** The same hook of the same packets, at an earlier or equal priority. Unknown counts as earlier. */
export const isOnSameHookBefore = (other: Place, mine: Place): boolean =>
  isSameHook(other, mine) &&
  (other.priority === null || mine.priority === null || other.priority <= mine.priority);

/** Anywhere before on the way that a packet can take. */
export const isBefore = (other: Place, mine: Place): boolean =>
  isSameHook(other, mine) ? isOnSameHookBefore(other, mine) : stationOf(other) <= stationOf(mine);

/**
 * On the output hook addresses are translated (-100) after ours has judged them, and the packet is
 * routed anew. On the other hooks translation comes before, or is of the source.
 */
export const isBehindOnOutput = (other: Place, mine: Place): boolean =>
  mine.hook === "output" && isSameHook(other, mine) && !isStrictlyBefore(other, mine);

const isStrictlyBefore = (other: Place, mine: Place): boolean =>
  other.priority !== null && mine.priority !== null && other.priority < mine.priority;

const isSameHook = (other: Place, mine: Place): boolean =>
  (other.hook === null || other.hook === mine.hook) && seesSame(other.family, mine.family);

/** A chain of family inet sees what chains of ip and ip6 see. */
const seesSame = (other: string, mine: string): boolean =>
  other === mine || (mine === "inet" && (other === "ip" || other === "ip6"));

/**
 * Stations of a frame's way, first to last (the kernel's nf_hook order with a bridge below): device,
 * bridge, router, router out, bridge out. A station that isn't listed counts as the first.
 */
const STATIONS: Readonly<Record<string, number>> = {
  "bridge prerouting": 1,
  "ip prerouting": 2,
  "bridge input": 3,
  "bridge forward": 3,
  "ip input": 4,
  "ip forward": 4,
  "ip output": 4,
  "ip postrouting": 5,
  "bridge output": 6,
  "bridge postrouting": 7,
};

const stationOf = ({ family, hook }: Place): number =>
  STATIONS[`${family === "bridge" ? "bridge" : "ip"} ${hook}`] ?? 0;
