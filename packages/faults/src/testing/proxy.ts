import type { TestContext } from "node:test";
import type { Fault, Phase } from "../arming/model.js";
import { planFaults } from "../arming/plan.js";
import type { ExchangeRecord } from "../http/model.js";
import { type HttpProxy, type HttpProxyOptions, startHttpProxy } from "../http/server.js";
import { systemTimers } from "../timers.js";

export const ALIAS = "/api/v2/firewall/alias";

export interface TestProxy {
  readonly proxy: HttpProxy;
  readonly port: number;
  readonly arm: (phase: Phase, ...faults: readonly Fault[]) => void;
  /** The first record that is like this, when there is one. */
  readonly until: (predicate: (record: ExchangeRecord) => boolean) => Promise<ExchangeRecord>;
  /** Once nothing is open any more. */
  readonly settled: () => Promise<readonly ExchangeRecord[]>;
}

/** A proxy in this process, before an upstream on the given port. */
export const startTestProxy = async (
  t: TestContext,
  port: number,
  options: Partial<HttpProxyOptions> = {},
): Promise<TestProxy> => {
  const records = new Map<number, ExchangeRecord>();
  const listeners = new Set<() => void>();
  const onRecord = (): void => {
    for (const listener of [...listeners]) listener();
  };
  const changed = (): Promise<void> =>
    new Promise((resolve) => {
      const listener = (): void => {
        listeners.delete(listener);
        resolve();
      };
      listeners.add(listener);
    });
  const proxy = await startHttpProxy({
    listen: { host: "127.0.0.1", port: 0 },
    tls: null,
    upstream: { host: "127.0.0.1", port, tls: null },
    paths: [ALIAS, "/api/v2/firewall/aliases", "/things/{name}"],
    mutationsUntil: null,
    timers: systemTimers,
    onRecord: (record) => {
      records.set(record.seq, record);
      onRecord();
    },
    ...options,
  });
  t.after(() => proxy.close());
  let armed = 0;
  return {
    proxy,
    port: proxy.address.port,
    arm: (phase, ...faults) => {
      armed += 1;
      const arming = { id: `a${armed}`, phase, nth: 1, plan: planFaults(faults, armed) };
      if (!proxy.tell({ type: "arm", arming })) throw new Error("no room");
    },
    until: async (predicate) => {
      for (;;) {
        const found = [...records.values()].find(predicate);
        if (found !== undefined) return found;
        await changed();
      }
    },
    settled: async () => {
      while ([...records.values()].some(({ outcome }) => outcome === "open")) await changed();
      return [...records.values()];
    },
  };
};
