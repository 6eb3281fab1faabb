import { join } from "node:path";
import { DrydockError, digestOfValue, sealManifest } from "@drydock/evidence";
import type { HaltReading, Resources } from "@drydock/ledger";
import { readHaltState, withJournal } from "../home/index.js";
import { giveUpDeadRuns } from "../recovery/index.js";
import { runDemand } from "../state/index.js";
import type { RunContext } from "./context.js";
import { composeManifest } from "./manifest.js";
import type { PlantedCanaries } from "./plant-canaries.js";
import { Receipts } from "./receipts.js";

/** A lease lasts as long as the run may, and this much for its end. */
const LEASE_MARGIN_MS = 10 * 60 * 1000;

export const readHalt = ({ state, trust }: RunContext): HaltReading => {
  const { halted, generation } = readHaltState(state, trust);
  return { halted, generation };
};

export const propose = async ({
  order,
  ledger,
  owner,
  state,
  clock,
  facts,
}: RunContext): Promise<void> => {
  const { run, idempotencyKey, title, liveRuns, ...asked } = order;
  await giveUpDeadRuns(ledger, state, liveRuns, new Date(clock.wall()));
  const proposed = await ledger.propose({
    run,
    key: idempotencyKey ?? run,
    request: digestOfValue(asked),
    title,
    // Relative to the state directory, which this process sees under another name.
    evidence: join("runs", run),
    owner,
    holder: "controller",
    leaseMillis: order.limits.wallMs + LEASE_MARGIN_MS,
  });
  if (proposed.kind === "existing")
    throw new DrydockError(
      "RUN_EXISTS",
      `the key ${idempotencyKey ?? run} belongs to run ${proposed.row.run}`,
      { fix: `See \`drydock trials show ${proposed.row.run}\`, or use another key.` },
    );
  facts.learn("actor", { run, generation: proposed.row.lease.generation });
};

export const sealInputs = async (context: RunContext): Promise<string> => {
  const { order, launcher, clock, facts } = context;
  const inputs = await launcher.seal(null);
  const sealed = sealManifest(composeManifest(order, inputs, clock.wall()));
  facts.learn("inputs", inputs);
  facts.learn("sealed", sealed);
  return sealed.digest;
};

export const openReceipts = async (context: RunContext): Promise<void> => {
  const { order, layout, key, clock, entropy, facts, port, egress } = context;
  const sealed = facts.get("sealed");
  const introduced = await port.introduce(null);
  const receipts = new Receipts(sealed, {
    run: order.run,
    layout,
    key,
    clock,
    nonce: entropy(8),
  });
  facts.learn("receipts", receipts);
  receipts.delegate("port", introduced.spki);
  const { canaries, files, environment } = await canariesOf(context);
  await port.begin({
    run: order.run,
    manifest: sealed.digest,
    lease: leaseName(context),
    generation: facts.get("actor").generation,
    limits: {
      consoleBytes: order.limits.consoleBytes,
      outputBytes: order.limits.outputBytes,
      artifactCount: order.limits.artifactCount,
      artifactBytes: order.limits.artifactBytes,
      artifactDepth: order.limits.artifactDepth,
      guestPids: order.limits.guestPids,
      guestFds: order.limits.guestFds,
    },
    artifacts: [...order.artifacts],
    canaries,
  });
  facts.learn("planted", files);
  facts.learn("environment", environment);
  if (egress !== null && order.egress !== null) {
    receipts.delegate("egress", (await egress.introduce(null)).spki);
    const { policy, secrets, upstreamRoots } = order.egress;
    const { trust, environment: placeholders } = await egress.begin({
      ...{ run: order.run, manifest: sealed.digest, policy, secrets, upstreamRoots, canaries },
      lifetimeMs: order.limits.wallMs,
    });
    facts.learn("planted", [...files, ...(trust === null ? [] : [trust])]);
    facts.learn("environment", [...environment, ...placeholders]);
  }
  const { source, canonical } = facts.get("inputs");
  receipts.record({
    type: "seal.source",
    decision: "sealed",
    subject: source?.archive.digest ?? null,
    measurements: {
      kind: sealed.manifest.source.kind,
      files: source?.archive.counts.files ?? 0,
      bytes: source?.archive.bytes ?? 0,
    },
  });
  receipts.record({
    type: "seal.canonical",
    decision: canonical === null ? "absent" : "recorded",
    measurements: { stage: "before", identity: canonical ?? NOTHING_OBSERVED },
  });
};

const canariesOf = async ({ order, entropy }: RunContext): Promise<PlantedCanaries> =>
  order.canaries.length === 0
    ? { canaries: [], files: [], environment: [] }
    : (await import("./plant-canaries.js")).plantCanaries(order.canaries, entropy);

/** Identity of a canonical checkout when there is none: a URL, a bundle, or no source at all. */
export const NOTHING_OBSERVED = digestOfValue(null);

export const leaseName = ({ order }: RunContext): string => `${order.run}.body`;

export const appendJournal = async (context: RunContext): Promise<void> => {
  const { state, key, order, clock, facts } = context;
  const { digest, experiment } = facts.get("sealed");
  const run = { run: order.run, manifest: digest, experiment, wall: clock.wall() };
  const entered = await withJournal(state, key, (journal) => journal.sealed(run));
  facts.learn("journalRun", run);
  facts.learn("journal", entered);
  const { index, size, root } = entered.place;
  facts.get("receipts").record({ type: "journal.appended", measurements: { index, size, root } });
};

export const reserve = async (context: RunContext): Promise<number> => {
  const { ledger, facts } = context;
  const actor = facts.get("actor");
  const row = await ledger.reserve(actor, resourcesOf(context));
  const haltGeneration = row.haltGeneration ?? 0;
  const receipts = facts.get("receipts");
  receipts.record({
    type: "reserve",
    decision: "reserved",
    measurements: { reservation: actor.run, haltGeneration },
  });
  receipts.record({
    type: "lease",
    decision: "issued",
    measurements: { lease: leaseName(context), generation: actor.generation },
  });
  return haltGeneration;
};

export const resourcesOf = ({ order, facts }: RunContext): Resources =>
  runDemand({ ...order.limits, vmmMemoryBytes: facts.get("inputs").vmmMemoryBytes });
