import assert from "node:assert/strict";
import { test } from "node:test";
import { EGRESS_TRIALS } from "../gate/observation.js";
import { contains, SPECIAL_RANGES } from "../model/index.js";
import { boundPlatform, boundScenario } from "../testing/index.js";
import { type EgressCell, predictEgress } from "./index.js";

const boundary = { scenario: boundScenario, platform: boundPlatform };
const cells = predictEgress(boundary);
const egress = boundPlatform.egress ?? assert.fail("the fixture has no way out");

const of = (trial: EgressCell["trial"]) => cells.filter((cell) => cell.trial === trial);

test("all that a qualification asks for is tried, and only what is signed has to be reached", () => {
  for (const trial of EGRESS_TRIALS) assert.notEqual(of(trial).length, 0, trial);
  assert.deepEqual(
    new Set(cells.filter(({ expected }) => expected === "reachable").map(({ trial }) => trial)),
    new Set(["authority", "resolver"]),
  );
});

test("every authority is asked of the broker, by whom a crossing lets", () => {
  const [{ source, attempt } = assert.fail()] = of("authority");
  assert.equal(source.holder, "platform.anchor.management");
  const { attempt: second } = predictEgress({
    ...boundary,
    platform: {
      ...boundPlatform,
      egress: {
        ...egress,
        authorities: [
          ...egress.authorities,
          { authority: "other.vendor.test", port: 8443, purpose: "second", line: 1 },
        ],
      },
    },
  })[1] ?? { attempt: null };
  assert.deepEqual(second, { ...attempt, host: "other.vendor.test", port: 8443 });
});

test("everybody but the egress anchor tries everything directly", () => {
  const holders = new Set(
    [...boundScenario.attachments, ...boundPlatform.attachments].map(({ holder }) => holder),
  );
  for (const trial of ["direct-tcp", "direct-udp", "direct-ntp", "direct-dns"] as const) {
    assert.deepEqual(new Set(of(trial).map(({ source }) => source.holder)), holders, trial);
  }
});

test("the egress anchor's own flows leave what the firewall opens for it alone", () => {
  const own = cells.filter(({ source }) => source.ipv4 === egress.ipv4);
  const ports = new Set(egress.authorities.map(({ port }) => port));
  for (const { attempt, trial } of own) {
    if (attempt.kind === "flow" && attempt.protocol === "tcp" && trial === "direct-tcp") {
      assert.ok(!ports.has(attempt.port));
    }
    if (attempt.kind === "lookup" && trial === "direct-dns") assert.ok("addressOf" in attempt.at);
  }
});

test("a denied range's address is in it, is routed, and is on no network of the boundary's", () => {
  const networks = [...boundScenario.networks, ...Object.values(boundPlatform.networks)];
  const tried = of("denied-range").flatMap(({ attempt }) =>
    attempt.kind === "flow" && "ipv4" in attempt.to ? [attempt.to.ipv4] : [],
  );
  for (const address of tried) {
    assert.ok(SPECIAL_RANGES.some((range) => contains(range, address)));
    assert.ok(!networks.some(({ cidr }) => contains(cidr, address)));
  }
  // All but this-network, loopback, multicast and the reserved block.
  assert.equal(tried.length, SPECIAL_RANGES.length - 4);
});

test("a range that a network fills from above is tried below it", () => {
  const [network = assert.fail()] = boundScenario.networks;
  const top = { ...network, cidr: { base: 10 * 2 ** 24 + 255 * 2 ** 16, prefix: 16 } };
  const scenario = { ...boundScenario, networks: [top] };
  const tried = predictEgress({ ...boundary, scenario }).flatMap(({ trial, attempt }) =>
    trial === "denied-range" && attempt.kind === "flow" && "ipv4" in attempt.to
      ? [attempt.to.ipv4]
      : [],
  );
  assert.equal(tried[0], 10 * 2 ** 24 + 255 * 2 ** 16 - 1);
});

test("an unlisted name and an unsigned port are next to what is signed", () => {
  const asked = of("unlisted-name").map(({ attempt }) =>
    attempt.kind === "tunnel" ? [attempt.host, attempt.port, attempt.refusal] : [],
  );
  assert.deepEqual(asked, [
    ["unlisted0.vendor.test", 443, "AUTHORITY_NOT_GRANTED"],
    ["api.vendor.test", 65_535, "PORT_NOT_GRANTED"],
  ]);
});

test("without a crossing to the broker, or a way out, there is nothing to try", () => {
  const without = (change: Partial<typeof boundPlatform>) =>
    predictEgress({ ...boundary, platform: { ...boundPlatform, ...change } });
  assert.deepEqual(without({ egress: null }), []);
  const crossings = boundPlatform.crossings.filter(({ destination }) => destination !== "egress");
  assert.deepEqual(without({ crossings }), []);
});
