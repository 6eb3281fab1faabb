import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { digestOf } from "@drydock/evidence";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { edited, REPLACEMENTS } from "../testing/index.js";
import {
  driftFindings,
  GATE_FINDINGS,
  type GateFindingCode,
  type GateRequest,
  inventoryOf,
  qualify,
  readinessFor,
} from "./index.js";
import {
  EGRESS_TRIALS,
  type EgressTrial,
  type Enforcement,
  type ProbeResult,
} from "./observation.js";
import {
  hostObservation,
  NOW,
  OTHER_KEY,
  request,
  seenInside,
  seenOutside,
} from "./testing/request.js";

const { guest, policy, binding } = request;
const OTHER = digestOf(Buffer.from("another"));

const codesOf = (asked: GateRequest) => qualify(asked).map(({ code }) => code);

const withListener = (changes: Partial<(typeof hostObservation.listeners)[number]>) =>
  seenOutside({
    listeners: hostObservation.listeners.map((listener, index) =>
      index === 0 ? { ...listener, ...changes } : listener,
    ),
  });

const withEnforcement = (authority: string, changes: Partial<Enforcement>) =>
  seenInside({
    enforcements: guest.enforcements.map((enforcement) =>
      enforcement.authority === authority ? { ...enforcement, ...changes } : enforcement,
    ),
  });

const withProbe = (identity: string, changes: Partial<ProbeResult>) =>
  seenInside({
    probes: guest.probes.map((probe) =>
      probe.identity.startsWith(identity) ? { ...probe, ...changes } : probe,
    ),
  });

const withoutProbes = (identity: string) =>
  seenInside({ probes: guest.probes.filter((probe) => !probe.identity.startsWith(identity)) });

const withoutTrial = (trial: EgressTrial) =>
  seenInside({ probes: guest.probes.filter((probe) => probe.trial !== trial) });

const withHolder = (changes: Partial<(typeof guest.holders)[number]>) =>
  seenInside({ holders: guest.holders.map((holder) => ({ ...holder, ...changes })) });

const ofOther = { policyDigest: OTHER, planDigest: OTHER } as const;
const forged = (): Buffer => {
  const bytes = Buffer.from(request.hostObservation ?? []);
  bytes[bytes.indexOf('"tried":4') + 8] = 0x35;
  return bytes;
};

/** Each code alone, from a request that passes and differs in one thing. */
const CASES: readonly (readonly [GateFindingCode, GateRequest])[] = [
  [
    "boundary.release-policy-digest-mismatch",
    {
      ...request,
      release: {
        ...request.release,
        boundary: { ...request.release.boundary, policyDigest: OTHER },
      },
    },
  ],
  ["boundary.host-observation-missing", { ...request, hostObservation: null }],
  ["boundary.host-observation-invalid", { ...request, hostObservation: Buffer.from("{}") }],
  ["boundary.host-observation-untrusted", seenOutside({}, OTHER_KEY)],
  ["boundary.host-observation-content-mismatch", { ...request, hostObservation: forged() }],
  [
    "boundary.host-observation-identity-mismatch",
    { ...request, binding: { ...binding, hostObservationId: OTHER } },
  ],
  ["boundary.host-observation-identity-mismatch", seenOutside({ launch: "cd".repeat(32) })],
  [
    "boundary.host-observation-stale",
    seenOutside({ observedAt: new Date(NOW - 5_001).toISOString() }),
  ],
  [
    "boundary.host-observation-future",
    seenOutside({ observedAt: new Date(NOW + 1_001).toISOString() }),
  ],
  ["boundary.host-policy-digest-mismatch", seenOutside({ policyDigest: OTHER })],
  ["boundary.host-payload-digest-mismatch", seenOutside({ payloadDigest: OTHER })],
  ["boundary.host-boot-identity-mismatch", seenOutside({ bootId: guest.bootId })],
  ["boundary.host-observation-incomplete", seenOutside({ complete: false })],
  ["boundary.host-observation-incomplete", seenOutside({ forbidden: { tried: 0, reached: 0 } })],
  ["boundary.host-forbidden-reachability", seenOutside({ forbidden: { tried: 4, reached: 1 } })],
  [
    "boundary.host-listener-unapproved",
    seenOutside({
      listeners: [
        ...hostObservation.listeners,
        { audience: null, address: "0.0.0.0", port: 22, protocol: "tcp", guest: null },
      ],
    }),
  ],
  [
    "boundary.host-listener-missing",
    seenOutside({ listeners: hostObservation.listeners.slice(0, 1) }),
  ],
  [
    "boundary.host-listener-mapping-mismatch",
    withListener({ guest: { address: "10.99.1.10", port: 22 } }),
  ],
  ["boundary.host-listener-mapping-mismatch", withListener({ guest: null })],
  [
    "boundary.host-listener-mapping-mismatch",
    { ...request, binding: { ...binding, mappings: [] } },
  ],

  ["boundary.guest-policy-digest-mismatch", seenInside({ policyDigest: ofOther.policyDigest })],
  ["boundary.guest-plan-digest-mismatch", seenInside({ planDigest: ofOther.planDigest })],
  ["boundary.guest-boot-identity-mismatch", seenInside({ bootId: binding.hostBootId })],
  ["boundary.guest-daemon-identity-mismatch", seenInside({ daemonId: "OTHER" })],
  ["boundary.guest-workbench-policy-mismatch", seenInside({ workbenchPolicyVersion: "v2" })],
  ["boundary.guest-workbench-policy-mismatch", seenInside({ workbenchPolicyVersion: null })],
  ["boundary.guest-observation-incomplete", seenInside({ complete: false })],
  ["boundary.guest-authority-conflict", seenInside({ conflicts: 1 })],
  ["boundary.guest-stray-port", seenInside({ strayPorts: ['port "v" of bridge dd-1'] })],
  ["boundary.guest-observation-gap", seenInside({ gaps: ["provision.node.web"] })],
  ["boundary.guest-binding-refused", seenInside({ refused: "BIND_IPV6" })],
  ["boundary.guest-enforcement-incomplete", withEnforcement("platform", { families: ["inet"] })],
  [
    "boundary.guest-enforcement-incomplete",
    seenInside({ enforcements: guest.enforcements.filter((one) => one.authority === "scenario") }),
  ],
  [
    "boundary.guest-scenario-enforcement-missing",
    seenInside({ enforcements: guest.enforcements.filter((one) => one.authority === "platform") }),
  ],
  [
    "boundary.guest-unexpected-enforcement",
    seenInside({ enforcements: [...guest.enforcements, ...guest.enforcements.slice(0, 1)] }),
  ],
  ["boundary.guest-platform-source-mismatch", withEnforcement("platform", { sourceDigest: OTHER })],
  ["boundary.guest-scenario-source-mismatch", withEnforcement("scenario", { sourceDigest: OTHER })],
  ["boundary.guest-default-deny-missing", withEnforcement("platform", { defaultDeny: false })],
  ["boundary.guest-default-deny-missing", withEnforcement("scenario", { defaultDeny: false })],
  ["boundary.guest-readback-difference", withEnforcement("scenario", { differences: ["rule"] })],
  ["boundary.guest-meaning-difference", withEnforcement("platform", { meaningDifferences: 1 })],

  ["boundary.scenario-positive-probe-failed", withProbe("scenario reachable", { passed: false })],
  ["boundary.scenario-negative-probe-failed", withProbe("scenario blocked", { passed: false })],
  ["boundary.platform-positive-probe-failed", withProbe("platform reachable", { passed: false })],
  ["boundary.platform-negative-probe-failed", withProbe("platform blocked", { passed: false })],
  ["boundary.scenario-probes-missing", withoutProbes("scenario reachable")],
  ["boundary.scenario-probes-missing", withoutProbes("scenario blocked")],
  ["boundary.platform-probes-missing", withoutProbes("platform reachable")],
  ["boundary.platform-probes-missing", withoutProbes("platform blocked")],
  ["boundary.egress-probe-failed", withProbe("egress reachable", { passed: false })],
  ["boundary.egress-probe-failed", withProbe("egress blocked", { passed: false })],
  ...EGRESS_TRIALS.map((trial) => ["boundary.egress-probes-missing", withoutTrial(trial)] as const),
  [
    "boundary.guest-unexpected-probes",
    seenInside({
      probes: guest.probes.flatMap((probe) =>
        probe.authority === "egress"
          ? [probe, { ...probe, destination: "unlisted.test" }]
          : [probe],
      ),
    }),
  ],

  ["boundary.docker-authority-unapproved", withHolder({ selector: null })],
  ["boundary.docker-authority-unapproved", withHolder({ selector: "x.role=attacker" })],
  [
    "boundary.docker-authority-unapproved",
    seenInside({
      holders: guest.holders.flatMap((holder) => [holder, { ...holder, selector: null }]),
    }),
  ],
  ["boundary.docker-authority-missing", seenInside({ missingHolders: ["x.role=deployer"] })],
  ["boundary.docker-authority-missing", seenInside({ holders: [] })],
  ["boundary.docker-daemon-mismatch", withHolder({ daemonId: "OTHER" })],
  ["boundary.docker-authority-overprivileged", withHolder({ overprivileged: ["privileged"] })],
  ["boundary.image-missing", seenInside({ images: { missing: ["helper"], different: [] } })],
  ["boundary.image-different", seenInside({ images: { missing: [], different: ["web"] } })],
  [
    "boundary.host-mcp-not-provisioned",
    { ...request, policy: { ...policy, hostMcpContract: "aptl.host-mcp/v1" } },
  ],
  ["boundary.development", { ...request, development: true }],
];

/** Where more than one finding is true of one change. */
const TOGETHER: readonly GateFindingCode[] = ["boundary.docker-authority-missing"];

describe("the gate", () => {
  it("is open for a request that shows everything", () => {
    assert.deepEqual(qualify(request), []);
    assert.deepEqual(driftFindings(request), []);
  });

  for (const [index, [code, asked]] of CASES.entries()) {
    it(`shuts with ${code} (${index})`, () => {
      const codes = new Set(codesOf(asked));
      assert.ok(codes.has(code), [...codes].join());
      for (const other of TOGETHER) if (other !== code) codes.delete(other);
      assert.deepEqual([...codes], [code]);
    });
  }

  it("has a case for each of its codes", () => {
    const tried = new Set(CASES.map(([code]) => code));
    assert.deepEqual(
      Object.keys(GATE_FINDINGS).filter((code) => !tried.has(code as GateFindingCode)),
      [],
    );
  });

  it("asks for probes of egress at an image's qualification alone", () => {
    const start = { ...withoutProbes("egress"), phase: "start" } as const;
    assert.deepEqual(qualify(start), []);
  });

  it("takes an observation until it is exactly as old as the policy allows", () => {
    const at = (age: number) => seenOutside({ observedAt: new Date(NOW - age).toISOString() });
    assert.deepEqual(qualify(at(5_000)), []);
    assert.deepEqual(qualify(at(-1_000)), []);
    assert.deepEqual(
      new Set(codesOf(seenOutside({ observedAt: "2026-99-30T09:00:00.000Z" }))).size,
      2,
    );
  });

  it("tells two publications of one audience apart by where they are", () => {
    const [first, second] = policy.publications;
    assert.ok(first !== undefined && second !== undefined);
    const outer = { ...second, audience: first.audience };
    const two = { ...policy, publications: [first, outer] };
    const inner = { address: "10.99.1.10", port: 9090 };
    const mappings = [...binding.mappings, { outer, guest: inner }];
    const asked = (port: number): GateRequest => {
      const listeners = hostObservation.listeners.map((listener, index) =>
        index === 0
          ? listener
          : { ...listener, audience: first.audience, guest: { ...inner, port } },
      );
      return { ...seenOutside({ listeners }), policy: two, binding: { ...binding, mappings } };
    };
    assert.deepEqual(codesOf(asked(9090)), []);
    assert.deepEqual(codesOf(asked(8080)), ["boundary.host-listener-mapping-mismatch"]);
  });
});

/** What is said for the reader alone: a change there says something else, and proves no less. */
const FREE = [
  /^phase$/,
  /^policy\.(id|generation|networks|anchors|crossings|egressLimits|egressResolvers|allowHostNetwork)/,
  // Without the broker's probes there is nothing to compare them with; the digest covers them.
  /^policy\.(egressAuthorities\.\d+\.(purpose|line)|observationFreshnessSeconds)/,
  /^release\.(digest|releaseId|artifacts|participant|boundary\.(helper|proxy)Image)/,
  /^guest\.enforcements\.\d+\.rulesetDigest$/,
  /^guest\.probes\.\d+\.(identity|source)$/,
  /^guest\.probes\.[0-3]\.(destination|port|trial)$/,
  /^guest\.probes\.5\.port$/,
  /^guest\.probes\.([6-9]|1\d)\.(destination|port)$/,
  /^guest\.probes\.\d+\.protocol$/,
  // How much was evaluated; what came of it is in the enforcements.
  /^guest\.cells$/,
  /^guest\.holders\.\d+\.(identity|access)$/,
];

const leavesOf = (value: unknown, path: readonly string[] = []): readonly string[] =>
  typeof value === "object" && value !== null && Object.keys(value).length > 0
    ? Object.entries(value).flatMap(([key, child]) => leavesOf(child, [...path, key]))
    : [path.join(".")];

const judged = { policy, binding, guest, release: request.release };
const LEAVES = leavesOf(judged).filter((path) => !FREE.some((free) => free.test(path)));

/** Another value of the same type, so that what shuts the gate is what it says. */
const other = (value: unknown): unknown => {
  if (typeof value === "string") return value.startsWith("sha256:") ? OTHER : `${value}x`;
  if (typeof value === "number") return value + 1;
  if (typeof value === "boolean") return !value;
  if (Array.isArray(value)) return ["x"];
  return value === null ? OTHER : "x";
};

const changed = (value: unknown, [head, ...rest]: readonly string[]): unknown => {
  if (head === undefined) return other(value);
  if (Array.isArray(value)) {
    return value.map((item, index) => (String(index) === head ? changed(item, rest) : item));
  }
  const members = value as Record<string, unknown>;
  return { ...members, [head]: changed(members[head], rest) };
};

describe("a request that passes", () => {
  for (const leaf of LEAVES) {
    it(`doesn't with another ${leaf}`, () => {
      const tampered = { ...request, ...(changed(judged, leaf.split(".")) as typeof judged) };
      assert.notDeepEqual(qualify(tampered), []);
    });
  }

  it("doesn't with any byte of the outside observation changed", () => {
    const bytes = Buffer.from(request.hostObservation ?? []);
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const copy = Buffer.from(bytes);
        copy[at] = (copy[at] ?? 0) ^ flip;
        assert.notDeepEqual(qualify({ ...request, hostObservation: copy }), []);
      }),
      { numRuns: profile.fuzz, seed: profile.seed },
    );
  });

  it("doesn't with anything of the signed observation replaced, removed or added", () => {
    const document = JSON.parse(Buffer.from(request.hostObservation ?? []).toString());
    const edit = fc.constantFrom("replace", "remove", "add");
    const by = fc.constantFrom(...REPLACEMENTS);
    fc.assert(
      fc.property(fc.nat(), edit, by, (seed, how, what) => {
        const copy = edited(document, seed, how as "replace", what);
        fc.pre(JSON.stringify(copy) !== JSON.stringify(document));
        const bytes = Buffer.from(JSON.stringify(copy));
        assert.notDeepEqual(qualify({ ...request, hostObservation: bytes }), []);
      }),
      { numRuns: profile.fuzz, seed: profile.seed },
    );
  });

  it("doesn't at any time outside of the observation's freshness", () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (now) => {
        const age = now - Date.parse(hostObservation.observedAt);
        assert.equal(qualify({ ...request, now }).length === 0, age >= -1_000 && age <= 5_000);
      }),
      { numRuns: profile.fuzz, seed: profile.seed },
    );
  });
});

describe("what the gate tells", () => {
  it("is bounded, and counts what it leaves out", () => {
    const gaps = Array.from({ length: 300 }, (_, index) => `place ${index}`);
    const asked = seenInside({ gaps });
    const { findings, further, passed } = inventoryOf(asked, qualify(asked));
    assert.deepEqual([findings.length, further, passed], [256, 44, false]);
  });

  it("says nothing of an outside observation that nobody trusts", () => {
    assert.notEqual(inventoryOf(request, []).host, null);
    const untrusted = seenOutside({}, OTHER_KEY);
    assert.equal(inventoryOf(untrusted, qualify(untrusted)).host, null);
  });

  it("holds no control character of a container's name", () => {
    const asked = withHolder({ identity: "a\u001b[2J\nb", selector: "x\u0007=y" });
    const inventory = inventoryOf(asked, qualify(asked));
    assert.equal(inventory.guest.holders[0]?.identity, '"a\\u001b[2J\\nb"');
    JSON.stringify(inventory, (_key, value) => {
      if (typeof value === "string") assert.match(value, /^[ -~]*$/);
      return value;
    });
  });

  it("is one of three words to a participant", () => {
    assert.equal(readinessFor(qualify(request)), "ready");
    assert.equal(readinessFor(qualify(seenOutside({ complete: false }))), "not-ready");
    assert.equal(readinessFor(qualify(seenInside({ conflicts: 1 }))), "needs-operator");
    const both = { ...seenOutside({ complete: false }), development: true };
    assert.equal(readinessFor(qualify(both)), "needs-operator");
  });
});
