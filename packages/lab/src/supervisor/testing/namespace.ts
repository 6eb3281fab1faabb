import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

export interface Member {
  readonly pid: number;
  readonly commandLine: string;
}

/** Whoever is gone meanwhile has none. */
const orElse = <T>(look: () => T, otherwise: T): T => {
  try {
    return look();
  } catch {
    return otherwise;
  }
};

export const namespaceOf = (pid: number | "self"): string | null =>
  orElse(() => readlinkSync(`/proc/${pid}/ns/net`), null);

/** Living processes in a network namespace; it has no name, so without any it is gone. */
export const membersOf = (namespace: string): readonly Member[] =>
  readdirSync("/proc")
    .filter((name) => /^[0-9]+$/.test(name) && namespaceOf(Number(name)) === namespace)
    .map((name) => ({
      pid: Number(name),
      commandLine: orElse(() => readFileSync(`/proc/${name}/cmdline`, "latin1"), ""),
    }));

/** Waits until a process of a rehearsal is there, of all that are in its supervisor's namespace. */
export const memberRunning = async (supervisor: number, program: string): Promise<Member> => {
  for (;;) {
    const namespace = namespaceOf(supervisor);
    if (namespace === null) throw new Error("the supervisor is gone");
    // Before it is in one of its own, it is in that of this test, with everybody else.
    const members = namespace === namespaceOf("self") ? [] : membersOf(namespace);
    const found = members.find(({ commandLine }) => commandLine.includes(program));
    if (found !== undefined) return found;
    await pause(5);
  }
};

export const isEmpty = async (namespace: string): Promise<void> => {
  while (membersOf(namespace).length > 0) await pause(10);
};
