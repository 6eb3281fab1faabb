import { type Digest, DrydockError, digestOfValue } from "@drydock/evidence";
import { compareVmm, EGRESS_CHANNEL } from "@drydock/vm";
import type { RunContext } from "./context.js";
import { leaseName } from "./tasks-birth.js";

export const stageFiles = async ({ launcher, facts }: RunContext): Promise<void> => {
  const { bytes } = await launcher.stage(null);
  facts.get("receipts").record({ type: "stage", decision: "staged", measurements: { bytes } });
};

/** Starts the VMM and brings it to where it could run; nothing of the guest runs yet. */
export const spawnVmm = async ({ launcher, port, facts }: RunContext): Promise<void> => {
  const receipts = facts.get("receipts");
  const { pid, endpoints, limits } = await launcher.spawn(null);
  facts.learn("endpoints", endpoints);
  receipts.record({
    type: "limits.readback",
    decision: limits.matches ? "match" : "mismatch",
    measurements: { limits: limits.effective },
  });
  receipts.record({
    type: "boot",
    decision: endpoints.start.kind === "restore" ? "restored" : "cold",
    measurements: { vmmPid: pid },
  });
  if (!limits.matches)
    throw new DrydockError("LIMITS_NOT_IN_FORCE", "a limit isn't what it was set to", {
      fix: "Run `drydock doctor`; it says which limits this machine can hold.",
    });
  await port.connect({
    adapter: endpoints.adapter,
    monitor: endpoints.monitor,
    console: endpoints.console,
    channels: Object.entries(endpoints.channels).map(([name, path]) => ({ name, path })),
    state: endpoints.start.kind === "restore" ? endpoints.start.state : null,
  });
};

/** What the kernel and the VMM show, against what was sealed. A difference at the start is fatal. */
export const attest = async (
  { launcher, port, facts }: RunContext,
  stage: "start" | "end",
  channels: readonly string[],
): Promise<void> => {
  const receipts = facts.get("receipts");
  const [kernel, observed] = await Promise.all([launcher.observe(null), port.machine(null)]);
  // A run that is stopped meanwhile unplugs what it would look for: that is no witness against it.
  if (facts.maybe("revoking") !== null)
    throw new DrydockError(
      "OBSERVATION_LATE",
      "the machine was being taken apart while it was looked at",
    );
  receipts.record({
    type: "attest.kernel",
    decision: kernel.differences.length === 0 ? "match" : "mismatch",
    measurements: {
      stage,
      observed: digestOfValue(kernel.observed),
      differences: bounded(kernel.differences),
      facts: kernel.observed,
    },
  });
  const comparison = compareVmm(facts.get("inputs").machine, observed);
  const differences = comparison.kind === "match" ? [] : comparison.differences;
  receipts.record({
    type: "attest.vmm",
    decision: comparison.kind,
    measurements: {
      stage,
      observed: observed.treeDigest,
      differences: bounded(differences),
      devices: observed.devices.length,
      chardevs: [...observed.chardevs],
      nics: [...observed.nics],
      granted: [...channels],
    },
  });
  const all = [...kernel.differences, ...differences];
  if (stage === "start" && all.length > 0)
    throw new DrydockError("TOPOLOGY_MISMATCH", `the machine isn't what was sealed: ${all[0]}`);
};

/** More differences than a record holds say no more than the first ones. */
const MAX_DIFFERENCES = 32;
const MAX_DIFFERENCE_TEXT = 512;

const bounded = (differences: readonly string[]): string[] =>
  differences.slice(0, MAX_DIFFERENCES).map((text) => text.slice(0, MAX_DIFFERENCE_TEXT));

export const grantChannel = async (context: RunContext, channel: string): Promise<void> => {
  const { port, egress, facts } = context;
  if (channel === EGRESS_CHANNEL && egress !== null) {
    // The host's end first, as with every channel; only the broker can take this one.
    await egress.connect({ channel, path: facts.get("endpoints").channels[channel] ?? "" });
    await port.plug({ channel });
  } else await port.grant({ channel });
  facts.get("receipts").record({
    type: "channel.granted",
    measurements: {
      channel,
      lease: leaseName(context),
      generation: facts.get("actor").generation,
    },
  });
};

export const handshake = async ({ port, facts }: RunContext): Promise<void> => {
  const { nonce } = await port.handshake({ upper: "upper" });
  for (const file of facts.get("planted")) await port.plant(file);
  facts.get("receipts").record({
    type: "handshake",
    decision: "answered",
    measurements: { nonce: nonce as Digest },
  });
};
