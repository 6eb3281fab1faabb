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
  let onRecord: () => void = () => undefined;
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
    settled: async () => {
      while ([...records.values()].some(({ outcome }) => outcome === "open"))
        await new Promise<void>((resolve) => {
          onRecord = resolve;
        });
      return [...records.values()];
    },
  };
};
