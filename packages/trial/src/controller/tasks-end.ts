import { writeFileSync } from "node:fs";
import { type Conclusion, concludeRun, DrydockError, type JsonObject } from "@drydock/evidence";
import type { ChannelBytes } from "../contract/index.js";
import { withJournal } from "../home/index.js";
import {
  capVerdict,
  type Ending,
  type Settlement,
  type Conclusion as TaskOutcome,
  type VerdictCeiling,
} from "../lifecycle/index.js";
import { askBroker } from "./ask-broker.js";
import type { RunContext } from "./context.js";
import { leaseName, NOTHING_OBSERVED, resourcesOf } from "./tasks-birth.js";

export const collectArtifacts = async ({ order, port, facts }: RunContext): Promise<void> => {
  const collected = await port.collect({ root: order.artifactRoot });
  facts.learn("artifacts", collected.artifacts);
  facts.get("receipts").record({ type: "artifacts.collected", measurements: { ...collected } });
};

/** Shuts the way out: the broker's end first, then the guest's. */
export const revokeChannel = async (context: RunContext, channel: string): Promise<void> => {
  recordChannels(context, await shutBroker(context));
  await context.port.unplug({ channel });
};

/** Shuts every channel, the way out first, and says what each one carried. */
export const revokeChannels = async (context: RunContext): Promise<void> => {
  context.facts.learn("revoking", true);
  // A broker that doesn't answer must not keep the other doors open, nor the other way round.
  const ends = await Promise.allSettled([
    shutBroker(context),
    context.port.revoke({ reason: "ended" }).then(({ channels }) => channels),
  ]);
  for (const end of ends) if (end.status === "fulfilled") recordChannels(context, end.value);
  for (const end of ends) if (end.status === "rejected") throw end.reason;
  recordLeaseEnd(context);
};

const shutBroker = async (context: RunContext): Promise<readonly ChannelBytes[]> => {
  const said = await askBroker(context, (egress) => egress.revoke({ reason: "ended" }));
  return said?.channels ?? [];
};

/**
 * What each channel carried, once: a run that is stopped while it ends shuts them again, and a
 * second record of the same bytes would be twice the bytes.
 */
const recordChannels = (context: RunContext, channels: readonly ChannelBytes[]): void => {
  const { facts } = context;
  const receipts = facts.get("receipts");
  const before = facts.maybe("revoked") ?? new Set();
  facts.learn("revoked", new Set([...before, ...channels.map(({ channel }) => channel)]));
  for (const { channel, toGuest, fromGuest } of channels) {
    if (before.has(channel)) continue;
    receipts.record({ type: "channel.revoked", measurements: { channel, reason: "ended" } });
    receipts.record({
      type: "channel.bytes",
      decision: "equal",
      measurements: {
        channel,
        toGuest,
        fromGuest,
        portToGuest: toGuest,
        portFromGuest: fromGuest,
      },
    });
  }
};

const recordLeaseEnd = (context: RunContext): void => {
  const { facts } = context;
  if (facts.maybe("leaseRevoked") !== null) return;
  facts.learn("leaseRevoked", true);
  facts.get("receipts").record({
    type: "lease",
    decision: "revoked",
    measurements: { lease: leaseName(context), generation: facts.get("actor").generation },
  });
};

/** All logs durable and signed, those of others countersigned by the controller's. */
export const checkpointAll = async (
  context: RunContext,
): Promise<{ readonly lastGuestByteMs: number }> => {
  const { port, facts } = context;
  const receipts = facts.get("receipts");
  const [counted, brokered] = await Promise.all([
    port.checkpoint(null),
    askBroker(context, (egress) => egress.checkpoint(null)),
  ]);
  receipts.countersign("port", { ...counted.head, channels: counted.channels });
  if (brokered !== null) {
    receipts.countersign("egress", { ...brokered.head, channels: brokered.channels });
    facts.learn("denied", brokered.denied);
  }
  receipts.checkpoint();
  return { lastGuestByteMs: counted.lastGuestByteMs };
};

/** The high-water mark of each bound that the host holds. */
export const measureUsage = async ({ launcher, order, facts }: RunContext): Promise<void> => {
  const usage = await launcher.usage(null);
  facts.learn("usage", usage);
  const receipts = facts.get("receipts");
  const { vmmMemoryBytes, vmmPids } = facts.get("inputs");
  const bounds = [
    { bound: "vmm-memory", limit: vmmMemoryBytes, observed: usage.memoryPeakBytes },
    { bound: "vmm-pids", limit: vmmPids, observed: usage.pidsPeak },
    { bound: "disk", limit: order.limits.diskBytes, observed: usage.diskBytes },
  ];
  const exceeded = bounds.filter(({ limit, observed }) => observed > limit);
  for (const { bound, limit, observed } of exceeded)
    receipts.record({ type: "bounds.exceeded", measurements: { bound, limit, observed } });
  const summary: JsonObject = Object.fromEntries(
    bounds.map(({ bound, limit, observed }) => [bound.replace("-", ""), { limit, observed }]),
  );
  receipts.record({
    type: "bounds.summary",
    decision: exceeded.length === 0 ? "within" : "exceeded",
    measurements: { bounds: { ...summary, oomKills: usage.oomKills } },
  });
};

/** How long a VMM that was asked to end may take before it is killed. */
const QUIT_PATIENCE_MS = 2_000;

export const stopGuest = async (context: RunContext, mode: "orderly" | "kill"): Promise<void> => {
  const { launcher, port, timers, facts } = context;
  if (mode === "orderly") {
    let cancel = (): void => undefined;
    const late = new Promise<void>((resolve) => {
      cancel = timers.after(QUIT_PATIENCE_MS, resolve);
    });
    await Promise.race([port.quit(null), late]).finally(() => cancel());
  }
  // Also after an orderly end: only the kernel's word that it is gone counts.
  const { dead } = await launcher.kill(null);
  facts.get("receipts").record({
    type: "kill",
    decision: dead ? "dead" : "survived",
    measurements: { reason: mode },
  });
};

/** Broker and port say what they have seen to the end, and close their logs. */
export const endProcesses = async (context: RunContext, clean: boolean): Promise<void> => {
  const { port, facts } = context;
  const receipts = facts.get("receipts");
  const [brokered, counted] = await Promise.allSettled([
    askBroker(context, (egress) => egress.end({ clean })),
    port.end({ clean }),
  ]);
  // A revocation that went wrong said nothing of its channels; the end has shut them.
  if (brokered.status === "fulfilled" && brokered.value !== null) {
    const { head, channels, denied } = brokered.value;
    recordChannels(context, channels);
    receipts.countersign("egress", { ...head, channels });
    facts.learn("denied", denied);
  }
  if (counted.status === "fulfilled") {
    const { head, channels } = counted.value;
    recordChannels(context, channels);
    receipts.countersign("port", { ...head, channels });
    recordLeaseEnd(context);
  }
  for (const end of [brokered, counted]) if (end.status === "rejected") throw end.reason;
};

export const destroySlot = async ({ launcher, facts }: RunContext): Promise<boolean> => {
  // Files of a collection that was never answered for are nobody's artifacts.
  const artifacts = facts.maybe("artifacts") === null ? "discard" : "keep";
  const { leftovers } = await launcher.destroy({ artifacts });
  facts.maybe("receipts")?.record({
    type: "destroy",
    decision: leftovers.length === 0 ? "clean" : "leftovers",
    measurements: { leftovers: leftovers.slice(0, 64).map((text) => text.slice(0, 512)) },
  });
  return leftovers.length === 0;
};

export const compareSource = async ({ launcher, facts }: RunContext): Promise<void> => {
  const receipts = facts.maybe("receipts");
  const { after, comparison } = await launcher.canonical(null);
  receipts?.record({
    type: "seal.canonical",
    decision: after === null ? "absent" : "recorded",
    measurements: { stage: "after", identity: after ?? NOTHING_OBSERVED },
  });
  if (comparison?.kind === "changed")
    receipts?.record({
      type: "canonical.changed",
      measurements: { parts: [...comparison.fields] },
    });
};

export const settle = async (context: RunContext, how: Settlement): Promise<void> => {
  const { ledger, facts } = context;
  const actor = facts.maybe("actor");
  if (actor === null || how === "nothing") return;
  switch (how) {
    case "release":
      await ledger.release(actor);
      break;
    case "settle":
      await ledger.settle(actor, resourcesOf(context));
      break;
    case "hold":
      await ledger.hold(actor, "BODY_UNKNOWN");
      break;
  }
  facts.maybe("receipts")?.record({
    type: "settle",
    decision: how === "hold" ? "held" : "settled",
    measurements: { reservation: actor.run },
  });
};

export const endReceipts = (
  { facts }: RunContext,
  ending: Ending,
  doubts: readonly string[],
): void => {
  const receipts = facts.get("receipts");
  receipts.record({
    type: "run.end",
    decision: ending.kind === "completed" && doubts.length === 0 ? "completed" : "stopped",
    measurements: {
      exit: { ending: ending.kind, ...("code" in ending ? { code: ending.code } : {}) },
      doubts: doubts.slice(0, 64),
    },
  });
  receipts.checkpoint();
};

/**
 * Derives the verdict from what is on disk, signs it, and enters it in the journal.
 *
 * @throws DrydockError VERDICT_OVER_CEILING: the records say PASS and the lifecycle knows better.
 * Then nothing is signed, and evidence without a verdict is INCOMPLETE.
 */
export const concludeVerdict = async (
  context: RunContext,
  ceiling: VerdictCeiling,
): Promise<Conclusion> => {
  const { layout, key, state, clock, facts } = context;
  facts.get("receipts").close();
  const conclusion = concludeRun({
    directory: layout.directory,
    sealed: facts.get("sealed"),
    key,
    journal: facts.get("journal").place,
    earlierAttempts: facts.get("journal").earlierAttempts,
    artifacts: facts.maybe("artifacts"),
    now: clock.wall(),
  });
  if (capVerdict(conclusion.verdict, ceiling) !== conclusion.verdict)
    throw new DrydockError("VERDICT_OVER_CEILING", `${conclusion.verdict} is over ${ceiling}`);
  // The journal first: a verdict that the journal doesn't know must not exist.
  await withJournal(state, key, (journal) =>
    journal.verdict(
      { ...facts.get("journalRun"), wall: clock.wall() },
      conclusion.verdict,
      conclusion.statement,
    ),
  );
  writeFileSync(layout.verdict, conclusion.envelope, { mode: 0o600, flag: "wx" });
  facts.learn("conclusion", conclusion);
  return conclusion;
};

export const concludeLedger = async (
  { ledger, facts }: RunContext,
  outcome: TaskOutcome,
): Promise<void> => {
  const actor = facts.get("actor");
  const lost = facts.maybe("lost");
  // Nobody refused it: a process died before there was a manifest that a verdict could speak of.
  if (outcome.kind === "refused" && lost !== null)
    await ledger.markIncomplete(actor.run, lost, { gone: true });
  else await ledger.conclude(actor, outcome);
};
