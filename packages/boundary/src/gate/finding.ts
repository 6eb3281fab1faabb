/** What a finding says to who may know no more: a participant sees only these words. */
export type Coarse = "not-ready" | "needs-operator";

const finding = (doc: string, coarse: Coarse = "needs-operator") => ({ doc, coarse });

/**
 * Everything that keeps a boundary's gate shut. Codes are stable; each is fatal by itself. Those of
 * the probes and enforcements name their authority.
 */
export const GATE_FINDINGS = {
  "boundary.release-policy-digest-mismatch": finding("Another policy than the released one."),

  "boundary.host-observation-missing": finding("Nobody outside looked at the appliance."),
  "boundary.host-observation-invalid": finding("An outside observation that can't be read."),
  "boundary.host-observation-untrusted": finding("Signed by another key than the trusted one."),
  "boundary.host-observation-content-mismatch": finding(
    "Its id isn't the digest of what it says, or its signature isn't one.",
  ),
  "boundary.host-observation-identity-mismatch": finding("Not the observation that was expected."),
  "boundary.host-observation-stale": finding("Older than the policy allows.", "not-ready"),
  "boundary.host-observation-future": finding("From a time that hasn't come yet."),
  "boundary.host-policy-digest-mismatch": finding("Made for another policy."),
  "boundary.host-payload-digest-mismatch": finding("Made for another payload."),
  "boundary.host-boot-identity-mismatch": finding("Made before the host was booted again."),
  "boundary.host-observation-incomplete": finding("Something wasn't looked at.", "not-ready"),
  "boundary.host-forbidden-reachability": finding("A port answers where it must not."),
  "boundary.host-listener-unapproved": finding("The appliance listens where nobody signed."),
  "boundary.host-listener-missing": finding("A signed publication that isn't there.", "not-ready"),
  "boundary.host-listener-mapping-mismatch": finding(
    "A listener with the right numbers that leads to another place inside.",
  ),

  "boundary.guest-policy-digest-mismatch": finding("Observed under another policy."),
  "boundary.guest-plan-digest-mismatch": finding("Observed under another plan."),
  "boundary.guest-boot-identity-mismatch": finding("Observed before another boot."),
  "boundary.guest-daemon-identity-mismatch": finding("Another engine than the bound one."),
  "boundary.guest-workbench-policy-mismatch": finding(
    "Another workbench policy version than the signed one, or no source for it.",
  ),
  "boundary.guest-observation-incomplete": finding("Something wasn't looked at.", "not-ready"),
  "boundary.guest-enforcement-incomplete": finding("An authority without its two tables."),
  "boundary.guest-platform-source-mismatch": finding("Platform rules of another policy."),
  "boundary.guest-scenario-source-mismatch": finding("Scenario rules of another plan."),
  "boundary.guest-default-deny-missing": finding(
    "Rules that let a packet pass for which nobody spoke.",
  ),
  "boundary.guest-scenario-enforcement-missing": finding("No rules of the scenario's."),
  "boundary.guest-unexpected-enforcement": finding("An authority's rules twice."),
  "boundary.guest-unexpected-probes": finding("A name that nobody signed, probed as if it were."),
  "boundary.guest-readback-difference": finding("The kernel holds other rules than were written."),
  "boundary.guest-meaning-difference": finding("Rules that decide otherwise than is meant."),
  "boundary.guest-authority-conflict": finding("Both authorities claim a packet and differ."),
  "boundary.guest-observation-gap": finding("Something that couldn't be bound to a port."),
  "boundary.guest-stray-port": finding(
    "A port on a bridge of the boundary's that is no container's.",
  ),
  "boundary.guest-binding-refused": finding("Plan or policy can't be bound to what is there."),

  "boundary.scenario-positive-probe-failed": finding("A flow that the plan allows doesn't pass."),
  "boundary.scenario-negative-probe-failed": finding("A flow that the plan denies passes."),
  "boundary.platform-positive-probe-failed": finding("A signed crossing doesn't pass."),
  "boundary.platform-negative-probe-failed": finding("A flow that nobody signed passes."),
  "boundary.scenario-probes-missing": finding("No allowed or no denied flow was probed."),
  "boundary.platform-probes-missing": finding("No allowed or no denied flow was probed."),
  "boundary.egress-probe-failed": finding("The broker's path isn't what the policy says."),
  "boundary.egress-probes-missing": finding("Qualification didn't probe every authority."),

  "boundary.docker-authority-unapproved": finding("Authority over the engine that nobody signed."),
  "boundary.docker-authority-missing": finding("A signed holder that isn't there.", "not-ready"),
  "boundary.docker-daemon-mismatch": finding("A holder of another engine."),
  "boundary.docker-authority-overprivileged": finding(
    "Privileged, with host namespaces, devices or capabilities.",
  ),

  "boundary.image-missing": finding("A signed image that the engine doesn't hold."),
  "boundary.image-different": finding("Something runs from another image than the signed one."),
  "boundary.host-mcp-not-provisioned": finding(
    "The policy asks for a host MCP dispatcher, and this version has none.",
  ),
  "boundary.development": finding("Applied with --dev: no evidence of an appliance."),
} as const;

export type GateFindingCode = keyof typeof GATE_FINDINGS;

export interface GateFinding {
  readonly code: GateFindingCode;
  /** Which probe, listener, holder or rule; never a value of a configuration. */
  readonly about: string | null;
}
