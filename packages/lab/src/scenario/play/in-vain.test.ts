import assert from "node:assert/strict";
import { test } from "node:test";
import type { ExchangeRecord } from "@drydock/faults";
import { arrangedInVain } from "./in-vain.js";

const exchange = (fault: ExchangeRecord["fault"]) => ({ fault }) as ExchangeRecord;
const fired = exchange({ arming: "arming-1", kinds: ["delay"], took: ["delay"] });
const matched = exchange({ arming: "arming-1", kinds: ["delay"], took: [] });
const others = exchange({ arming: "arming-2", kinds: ["delay"], took: ["delay"] });
const arranged = [{ what: "delay at mutation", arming: "arming-1" }];

test("a fault that fired wasn't in vain", () => {
  assert.deepEqual(arrangedInVain(arranged, [exchange(null), fired]), []);
});

test("one that met no request, had no effect on it, or was another was", () => {
  for (const exchanges of [[], [exchange(null)], [matched], [others]])
    assert.deepEqual(arrangedInVain(arranged, exchanges), ["delay at mutation"]);
});

test("each of several counts", () => {
  const kill = (came: boolean) => ({ what: "kill", came });
  assert.deepEqual(arrangedInVain([...arranged, kill(true)], [fired]), []);
  assert.deepEqual(arrangedInVain([...arranged, kill(false)], [fired]), ["kill"]);
  assert.deepEqual(arrangedInVain([...arranged, kill(true)], []), ["delay at mutation"]);
});
