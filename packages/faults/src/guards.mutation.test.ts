import assert from "node:assert/strict";
import { test } from "node:test";
import { assertNoticed, runTestFileWithSwaps } from "@drydock/testkit";

/** A guard taken away: some test has to notice. */
const MUTATIONS: readonly (readonly [
  what: string,
  module: string,
  testFile: string,
  pattern: string,
  source: string,
])[] = [
  [
    "a read is taken for a read-back, whatever came before it",
    "arming/phase.js",
    "http/phases.test.js",
    "trap: a time-out during read-back",
    `export * from "./phase.js?original";
     import { phaseOf as ordered } from "./phase.js?original";
     export const phaseOf = (operation, _mutated, method) => ordered(operation, true, method);`,
  ],
  [
    "a fault of the read-back hits the first request",
    "arming/match.js",
    "http/phases.test.js",
    "trap: a time-out during read-back",
    "export const matchArmings = ([fired = null, ...armings]) => ({ armings, fired });",
  ],
  [
    "an arming fires again",
    "arming/match.js",
    "arming/step.test.js",
    "fires at most once",
    `export const matchArmings = (armings, phase) =>
       ({ armings, fired: armings.find((one) => one.phase === phase) ?? null });`,
  ],
  [
    "no deadline is kept",
    "arming/deadline.js",
    "http/phases.test.js",
    "a mutation doesn't reach the upstream",
    "export const isTooLate = () => false;",
  ],
  [
    "a client is waited for for ever",
    "http/patience.js",
    "http/patience.test.js",
    "isn't waited for when it says nothing",
    "export class Patience { began() {} }",
  ],
  [
    "whatever was sent counts as delivered",
    "http/delivery.js",
    "http/faults.test.js",
    "a time-out of the response",
    `export const deliveryOf = (sent, answered) =>
       answered || sent === "whole" ? "proven" : "proven-not";`,
  ],
  [
    "what may have been delivered counts as not delivered",
    "http/delivery.js",
    "http/faults.test.js",
    "a time-out of the response",
    `export const deliveryOf = (_sent, answered) => answered ? "proven" : "proven-not";`,
  ],
  [
    "any answer counts as a commit",
    "http/committed.js",
    "http/faults.test.js",
    "says no commit",
    "export const hasCommitted = () => true;",
  ],
  [
    "the log names paths as they came",
    "http/path-template.js",
    "http/phases.test.js",
    "holds no value",
    `export * from "./path-template.js?original";
     export const templateOf = (target) => target;`,
  ],
  [
    "an upstream isn't verified",
    "http/trust.js",
    "http/tls.test.js",
    "another authority vouches for",
    "export const trustOf = () => ({ rejectUnauthorized: false });",
  ],
  [
    "an upstream may have any name",
    "http/trust.js",
    "http/tls.test.js",
    "one of another name",
    `export const trustOf = ({ host }, { ca }) =>
       ({ ca, host, rejectUnauthorized: true, checkServerIdentity: () => undefined });`,
  ],
  [
    "a reset is an end",
    "http/reset.js",
    "stream/proxy.test.js",
    "passes a reset on",
    "export const resetConnection = (socket) => socket.end();",
  ],
  [
    "any address is loopback",
    "address/loopback.js",
    "toxiproxy/api.test.js",
    "beyond loopback only",
    "export const isLoopback = () => true;",
  ],
  [
    "nobody asks for addresses beyond loopback",
    "control/bound.js",
    "control/bound.test.js",
    "on loopback or asked for",
    "export const requireLoopback = () => undefined;",
  ],
  [
    "a browser may drive it",
    "toxiproxy/browser.js",
    "toxiproxy/api.test.js",
    "a browser may not",
    "export const isBrowser = () => false;",
  ],
  [
    "what is held back has no bound",
    "stream/held.js",
    "stream/proxy.test.js",
    "hold back is bounded",
    "export const isFull = () => false;",
  ],
  [
    "connections have no bound",
    "stream/room.js",
    "stream/proxy.test.js",
    "room for so many connections",
    "export const hasRoom = () => true;",
  ],
];

for (const [what, guard, testFile, pattern, source] of MUTATIONS)
  test(`a test notices when ${what}`, () => {
    const file = new URL(testFile, import.meta.url);
    const module = `packages/faults/dist/${guard}`;
    const intact = runTestFileWithSwaps(file, [], pattern);
    assert.equal(intact.failed, false, intact.output);
    assert.match(intact.output, /^# pass [1-9]/m, "the pattern names a test");
    assertNoticed(file, [{ module, source }], pattern);
  });
