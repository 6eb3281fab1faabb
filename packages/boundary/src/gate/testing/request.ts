import { digestOf, type SigningKey, signingKeyFromSeed } from "@drydock/evidence";
import type { ReleaseManifest } from "../../release/index.js";
import { plan, policy } from "../../testing/index.js";
import { type GateRequest, type HostObservation, signHostObservation } from "../index.js";
import type { EgressTrial, GuestObservation, ProbeResult } from "../observation.js";

export const HOST_KEY = signingKeyFromSeed(Buffer.alloc(32, 1));
export const OTHER_KEY = signingKeyFromSeed(Buffer.alloc(32, 2));
export const NOW = Date.parse("2026-11-30T09:00:00.000Z");

const digest = (text: string) => digestOf(Buffer.from(text));
const HOST_BOOT = "11111111-1111-4111-8111-111111111111";

const LAUNCH = "ab".repeat(32);

export const hostObservation: HostObservation = {
  launch: LAUNCH,
  policyDigest: policy.digest,
  payloadDigest: digest("payload"),
  bootId: HOST_BOOT,
  observedAt: new Date(NOW - 2_000).toISOString(),
  complete: true,
  listeners: [
    {
      audience: "participant",
      address: "127.0.0.1",
      port: 3000,
      protocol: "tcp",
      guest: { address: "10.99.1.10", port: 8080 },
    },
    { audience: "recovery", address: "127.0.0.1", port: 8400, protocol: "tcp", guest: null },
  ],
  forbidden: { tried: 4, reached: 0 },
};

const release: ReleaseManifest = {
  digest: digest("release"),
  releaseId: "r1",
  artifacts: [],
  payloadDigest: digest("payload"),
  participant: {
    profileId: "red",
    profileVersion: 1,
    profileDigest: digest("profile"),
    readinessDigest: digest("readiness"),
    assetLockDigest: digest("lock"),
    qualificationDigest: digest("qualification"),
  },
  boundary: {
    policyDigest: policy.digest,
    helperImage: `helper@${digest("helper")}`,
    proxyImage: `proxy@${digest("proxy")}`,
  },
};

const probe = (
  authority: ProbeResult["authority"],
  expectation: ProbeResult["expectation"],
  destination = "web@dmz",
  trial: EgressTrial | null = null,
): ProbeResult => ({
  identity: `${authority} ${expectation} ${destination}`,
  authority,
  trial,
  source: "workstation@lan",
  destination,
  protocol: "tcp",
  port: 443,
  expectation,
  passed: true,
});

const guest: GuestObservation = {
  policyDigest: policy.digest,
  planDigest: plan.digest,
  bootId: "22222222-2222-4222-8222-222222222222",
  daemonId: "ENGINE",
  workbenchPolicyVersion: policy.workbenchPolicyVersion,
  enforcements: (["scenario", "platform"] as const).map((authority) => ({
    authority,
    sourceDigest: authority === "scenario" ? plan.digest : policy.digest,
    rulesetDigest: digest(authority),
    families: ["inet", "bridge"],
    defaultDeny: true,
    differences: [],
    meaningDifferences: 0,
  })),
  probes: [
    ...(["scenario", "platform"] as const).flatMap((authority) => [
      probe(authority, "reachable"),
      probe(authority, "blocked"),
    ]),
    probe("egress", "reachable", "api.vendor.test", "authority"),
    probe("egress", "reachable", "192.0.2.53", "resolver"),
    probe("egress", "blocked", "unlisted.test", "unlisted-name"),
    probe("egress", "blocked", "10.0.0.1", "denied-range"),
    probe("egress", "blocked", "8.8.8.8", "direct-tcp"),
    probe("egress", "blocked", "8.8.8.8", "direct-udp"),
    probe("egress", "blocked", "8.8.8.8", "direct-ntp"),
    probe("egress", "blocked", "8.8.8.8", "direct-dns"),
  ],
  holders: [
    {
      identity: "deployer",
      selector: "x.role=deployer",
      daemonId: "ENGINE",
      access: "socket",
      overprivileged: [],
    },
  ],
  missingHolders: [],
  cells: 4_096,
  conflicts: 0,
  gaps: [],
  strayPorts: [],
  refused: null,
  images: { missing: [], different: [] },
  complete: true,
};

/** One that passes, at an image's qualification, which asks for the most. */
export const request: GateRequest = {
  phase: "image-qualification",
  policy,
  release,
  binding: {
    launch: LAUNCH,
    planDigest: plan.digest,
    hostBootId: HOST_BOOT,
    guestBootId: guest.bootId,
    guestDaemonId: "ENGINE",
    hostObservationId: null,
    mappings: [
      {
        outer: policy.publications[0] ?? missing(),
        guest: { address: "10.99.1.10", port: 8080 },
      },
    ],
  },
  hostObservation: signHostObservation(hostObservation, HOST_KEY),
  hostKey: HOST_KEY.public,
  guest,
  now: NOW,
  development: false,
};

function missing(): never {
  throw new Error("the fixture's policy has no publication");
}

/** Another outside view, signed as the request expects it unless by somebody else. */
export const seenOutside = (
  changes: Partial<HostObservation>,
  key: SigningKey = HOST_KEY,
): GateRequest => ({
  ...request,
  hostObservation: signHostObservation({ ...hostObservation, ...changes }, key),
});

export const seenInside = (changes: Partial<GuestObservation>): GateRequest => ({
  ...request,
  guest: { ...guest, ...changes },
});
