/** When a helper dies, counted in what it asks of engine and kernel that changes something. */
export interface Death {
  /** From 1; beyond the last it dies of nothing. */
  readonly call: number;
  /** `during`: it was asked for, and the answer isn't there yet. */
  readonly when: "before" | "during" | "after";
  /** Of `during`. */
  readonly delayMs: number;
}

const CHANGING: ReadonlySet<string> = new Set([
  ...["createNetwork", "removeNetwork", "createContainer", "start", "kill", "removeContainer"],
  ...["writeSetting", "load", "deleteTables", "setDefaultRoute"],
]);

/** Counts over all ports that share it. */
export const mortality = ({ call, when, delayMs }: Death, die: () => void) => {
  let calls = 0;
  const mortal = <T extends object>(port: T): T =>
    new Proxy(port, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== "function") return member;
        if (!CHANGING.has(String(name))) return member.bind(target);
        return async (...args: unknown[]): Promise<unknown> => {
          calls += 1;
          const isLast = calls === call;
          if (isLast && when === "before") die();
          const asked: unknown = member.apply(target, args);
          if (isLast && when === "during") setTimeout(die, delayMs);
          const answer = await asked;
          if (isLast) die();
          return answer;
        };
      },
    });
  return { mortal, calls: () => calls };
};
