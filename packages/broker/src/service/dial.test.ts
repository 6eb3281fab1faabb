import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { IpAddress } from "../address/address.js";
import { parseIp } from "../address/ip-text.js";
import { systemTimers } from "../system-timers.js";
import { startRecorder } from "../testing/broker-lab.js";
import { enterPrivateNetwork } from "../testing/private-network.js";
import { connectionsFor } from "./connections-for.js";
import { createDial } from "./dial.js";
import { isConnectedTo } from "./is-connected-to.js";
import { CLOSED_PORT, HERE, NETWORK, SILENT, SIX } from "./testing/names.js";

enterPrivateNetwork(import.meta.url, NETWORK);

const ip = (text: string): IpAddress => {
  const address = parseIp(text);
  assert(address !== null);
  return address;
};

describe("a dial", () => {
  const dial = createDial(systemTimers);
  const signal = new AbortController().signal;
  const outcome = async (address: string, limits = { timeoutMs: 5_000, signal }) => {
    const dialled = await dial(ip(address), 443, limits);
    if (dialled.kind === "failed") return dialled.reason;
    dialled.socket.destroy();
    return dialled.kind;
  };

  it("connects to one address, or says why not", async (t) => {
    for (const address of [HERE, SIX]) {
      await startRecorder(t, address, 443);
      assert.equal(await outcome(address), "connected");
    }
    assert.equal(await outcome(CLOSED_PORT), "CONNECT_REFUSED");
    assert.equal(await outcome("93.184.216.200"), "CONNECT_FAILED");
    assert.equal(await outcome(SILENT, { timeoutMs: 200, signal }), "CONNECT_TIMEOUT");
  });

  it("is given up when its client goes", async () => {
    const work = new AbortController();
    const waiting = outcome(SILENT, { timeoutMs: 60_000, signal: work.signal });
    setTimeout(() => work.abort(), 50);
    assert.equal(await waiting, "CONNECT_FAILED");
    assert.equal(await outcome(HERE, { timeoutMs: 60_000, signal: work.signal }), "CONNECT_FAILED");
  });

  it("reads back whom it reached", () => {
    const peer = (remoteAddress: string | undefined, remotePort: number | undefined) =>
      isConnectedTo({ remoteAddress, remotePort }, ip(HERE), 443);
    assert.equal(peer(HERE, 443), true);
    assert.equal(peer(HERE, 80), false);
    assert.equal(peer("93.184.216.35", 443), false);
    assert.equal(peer(`::ffff:${HERE}`, 443), false);
    assert.equal(peer(undefined, undefined), false);
    const six = { remoteAddress: SIX, remotePort: 443 };
    assert.equal(isConnectedTo(six, ip(SIX), 443), true);
    assert.equal(isConnectedTo(six, ip(HERE), 443), false);
  });
});

describe("the number of connections", () => {
  it("is what the policy says, or what the descriptors are enough for", () => {
    const budget = { openFiles: 1024, maxLookups: 64, refusedAtOnce: 64 };
    assert.equal(connectionsFor(100, budget), 100);
    assert.equal(connectionsFor(5_000, budget), (1024 - 64 - 128 - 64) / 2);
    assert.equal(connectionsFor(5_000, { ...budget, openFiles: 100 }), 0);
  });
});
