import assert from "node:assert/strict";
import { it } from "node:test";
import { DrydockError } from "@drydock/evidence";
import { driftFindings } from "../gate/index.js";
import type { ApplianceAim } from "../realise/index.js";
import { plan, policy } from "../testing/index.js";
import { type GuestSources, observeGuest } from "./index.js";

const aim = {
  realisation: "br_netfilter",
  wanted: { plan, platform: { policy } },
  desired: { networks: [], anchors: [], nodes: [] },
} as unknown as ApplianceAim;

const failing = (error: unknown): GuestSources => {
  const fails = async (): Promise<never> => {
    throw error;
  };
  const every = new Proxy({}, { get: () => fails });
  return {
    ...{ engine: every as GuestSources["engine"], kernel: every as GuestSources["kernel"] },
    ...{ probe: null, probeEgress: null, holders: fails, workbenchPolicyVersion: fails },
  };
};

it("an observation that fails is one that is incomplete, with its code, and never passes", async () => {
  const binding = {
    launch: "",
    planDigest: plan.digest,
    ...{ hostBootId: "", guestBootId: "", guestDaemonId: "" },
    ...{ hostObservationId: null, mappings: [] },
  };
  for (const [error, code] of [
    [new DrydockError("ENGINE_UNREACHABLE", "gone"), "ENGINE_UNREACHABLE"],
    [new TypeError("a mistake of our own"), "OBSERVATION_FAILED"],
  ] as const) {
    const images = { helperImage: "h@sha256:0", proxyImage: "p@sha256:0" };
    const guest = await observeGuest(aim, images, failing(error));
    assert.deepEqual([guest.complete, guest.refused], [false, code]);
    const codes = driftFindings({ policy, binding, guest }).map((finding) => finding.code);
    assert.ok(codes.includes("boundary.guest-observation-incomplete"));
    assert.ok(codes.includes("boundary.guest-binding-refused"));
  }
});
