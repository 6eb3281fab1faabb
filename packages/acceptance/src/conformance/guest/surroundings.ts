/** What a module could use without importing it, and an adapter has no business with. */
const GLOBALS = [
  "AbortSignal",
  "BroadcastChannel",
  "EventSource",
  "MessageChannel",
  "WebAssembly",
  "WebSocket",
  "XMLHttpRequest",
  "clearImmediate",
  "clearInterval",
  "clearTimeout",
  "console",
  "crypto",
  "fetch",
  "global",
  "performance",
  "process",
  "queueMicrotask",
  "setImmediate",
  "setInterval",
  "setTimeout",
] as const;

/**
 * Takes them away from whatever is loaded from now on, and notes who asks. Not a wall: the guest is
 * one. It shows what an adapter's author should know about the adapter.
 */
export const takeAway = (reached: Set<string>): void => {
  for (const name of GLOBALS) {
    Object.defineProperty(globalThis, name, {
      configurable: false,
      get: () => {
        reached.add(name);
        return undefined;
      },
    });
  }
  globalThis.Math.random = () => {
    reached.add("Math.random");
    return 0;
  };
  const { Date: Original } = globalThis;
  globalThis.Date = new Proxy(Original, {
    construct: (target, given, derived) => {
      if (given.length === 0) reached.add("Date");
      return Reflect.construct(target, given.length === 0 ? [0] : given, derived);
    },
    apply: () => {
      reached.add("Date");
      return new Original(0).toString();
    },
    get: (target, key) => {
      if (key !== "now") return Reflect.get(target, key);
      reached.add("Date.now");
      return () => 0;
    },
  });
};
