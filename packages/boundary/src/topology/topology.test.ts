import assert from "node:assert/strict";
import { test } from "node:test";
import { bindScenario } from "../bind/index.js";
import { boundScenario, plan, topology } from "../testing/index.js";
import { parseTopology, plannedTopology, topologyJson } from "./index.js";

test("what was observed can be written down and read again", () => {
  const bytes = Buffer.from(JSON.stringify(topologyJson(topology)));
  assert.deepEqual(parseTopology(bytes, { file: "topology.json" }), topology);
});

test("a topology file with anything else in it is refused", () => {
  for (const wrong of [
    { ...topologyJson(topology), more: 1 },
    { ...topologyJson(topology), bootId: null },
    { ...topologyJson(topology), schema: "drydock.topology/v2" },
    {
      ...topologyJson(topology),
      networks: topologyJson(topology).networks.map((each) => ({ ...each, ipv4: "10.60.1.7/24" })),
    },
  ]) {
    assert.throws(
      () => parseTopology(Buffer.from(JSON.stringify(wrong)), { file: "topology.json" }),
      { code: "FILE_INVALID" },
    );
  }
});

test("a plan without an engine is bound to what apply would make of it", () => {
  const planned = plannedTopology({ owner: "seat", plan, platform: null });
  const bound = bindScenario(plan, planned);
  const places = ({ attachments }: typeof bound) =>
    attachments.map(({ holder, network, ipv4, mac }) => ({ holder, network, ipv4, mac }));
  assert.deepEqual(places(bound), places(boundScenario));
  assert.equal(new Set(bound.attachments.map(({ port }) => port)).size, bound.attachments.length);
  assert.ok(bound.networks.every(({ bridge }) => bridge.length <= 15));
});
