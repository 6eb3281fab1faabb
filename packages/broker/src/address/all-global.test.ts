import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { IpAddress } from "./address.js";
import { allGlobal } from "./all-global.js";
import { parseIp } from "./ip-text.js";

const ips = (...texts: readonly string[]): readonly IpAddress[] =>
  texts.map((text) => {
    const parsed = parseIp(text);
    assert.ok(parsed !== null, text);
    return parsed;
  });

describe("an answer's addresses", () => {
  it("are global when each of them is", () => {
    assert.deepEqual(allGlobal(ips("8.8.8.8", "2606:4700:4700::1111", "1.1.1.1")), {
      kind: "global",
    });
  });

  it("are refused for a single one that isn't, wherever it stands", () => {
    const bad = ips("127.0.0.1");
    const good = ips("8.8.8.8", "2606:4700:4700::1111");
    for (let at = 0; at <= good.length; at++) {
      const answer = [...good.slice(0, at), ...bad, ...good.slice(at)];
      assert.deepEqual(allGlobal(answer), {
        kind: "refused",
        address: bad[0],
        class: { kind: "special", name: "Loopback", block: "127.0.0.0/8" },
      });
    }
  });

  it("are refused where there are none", () => {
    assert.deepEqual(allGlobal([]), { kind: "refused", address: null, class: null });
  });
});
