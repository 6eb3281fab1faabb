#!/usr/bin/env node
// Contracts prepared and executed a second, beside the same requests without a contract: the same
// clients and stand-in in one private network, in turns, without the fault proxy; the store with its
// anchor on a disk, and in memory, where only its waiting for the disk is missing. The scenario's
// clock moves a minute a contract, since a target rests so long. One JSON object. Needs root, and
// `npx tsc -b` first.
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { enterPrivate } from "./lib/private.mjs";
import { median, rounded } from "./lib/stats.mjs";

const lab = (path) => import(new URL(`../packages/lab/dist/${path}`, import.meta.url).href);
const { createReadClient, createWriteClient, namespaceIdentity } = await lab("index.js");
const { pfsenseAliasDescription: adapter, HISTORY_SOURCES } = await import(
  new URL("../packages/acceptance/dist/index.js", import.meta.url).href
);

process.env.DRYDOCK_BENCH_STARTER ??= namespaceIdentity();
enterPrivate(import.meta.url, ["--net"]);

const { openLab } = await lab("testing/open-lab.js");
const { openSession } = await lab("scenario/session.js");
const { operatorFrom } = await lab("scenario/play/operator.js");

const ROUNDS = Number(process.env.DRYDOCK_BENCH_ROUNDS ?? 7);
const CONTRACTS = Number(process.env.DRYDOCK_BENCH_CONTRACTS ?? 30);
const REST_MS = 60_000;
const MEMORY = "/dev/shm";

const directory = mkdtempSync(join(tmpdir(), "drydock-bench-contracts-"));
const inMemory = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : directory, "drydock-bench-"));
let texts = 0;
/** Another one each time: the same change over the same state is the same contract. */
const newText = () => {
  texts += 1;
  return `bench ${texts}`;
};

const timed = async (times, work) => {
  let ms = 0;
  for (let time = 0; time < times; time += 1) {
    const began = performance.now();
    await work();
    ms += performance.now() - began;
  }
  return (times / ms) * 1_000;
};

const history = HISTORY_SOURCES[adapter.endpointSymbol];

/** What preparing reads; what executing reads, reads, changes and reads; and both. */
const measureRaw = async ({ read, write, candidate }) => {
  const identity = { alias_name: candidate };
  const look = () => adapter.readTarget(read, identity);
  const change = async () => {
    await read.get(history.path, history.query);
    const target = await look();
    const intent = {
      operation: adapter.semanticUnit,
      raw_target_hint: identity,
      new_description: newText(),
    };
    await write.send(adapter.buildRequest(adapter.parseIntent(intent), target));
    await look();
  };
  const prepared = await timed(CONTRACTS, look);
  const executed = await timed(CONTRACTS, change);
  return { prepared, executed, both: 1 / (1 / prepared + 1 / executed) };
};

const measureContracts = async ({ read, write, candidate }, below) => {
  const [store, anchor] = ["store", "anchor"].map((name) => {
    const place = join(below, `${name}-${randomBytes(4).toString("hex")}`);
    mkdirSync(place, { mode: 0o700 });
    return place;
  });
  let aheadMs = 0;
  const operator = operatorFrom(randomBytes(32), randomBytes(32));
  const session = openSession({
    ...{ storeId: "bench", directory: store, anchorDirectory: anchor, key: randomBytes(32) },
    ...{ artifactKey: randomBytes(32), read, write, verifier: operator.verifier },
    clock: () => Date.now() + aheadMs,
    entropy: (bytes) => randomBytes(bytes),
  });
  let preparing = 0;
  let executing = 0;
  for (let contract = 0; contract < CONTRACTS; contract += 1) {
    const intent = {
      operation: adapter.semanticUnit,
      raw_target_hint: { alias_name: candidate },
      new_description: newText(),
    };
    const began = performance.now();
    const prepared = await session.executor.prepare(adapter, intent);
    const ready = performance.now();
    const evidence = operator.confirm(prepared, session.store.now());
    session.executor.confirm(prepared.contractId, evidence);
    const { kind } = await session.executor.execute(prepared.contractId, adapter, intent);
    if (kind !== "verified") throw new Error(`a contract ended ${kind}`);
    preparing += ready - began;
    executing += performance.now() - ready;
    aheadMs += REST_MS;
  }
  session.close();
  const perSecond = (ms) => (CONTRACTS / ms) * 1_000;
  return {
    prepared: perSecond(preparing),
    executed: perSecond(executing),
    both: perSecond(preparing + executing),
  };
};

let code = 1;
try {
  const open = await openLab({ starter: process.env.DRYDOCK_BENCH_STARTER, directory });
  const { credential, candidate } = open.world;
  const client = { endpoint: open.direct, credential, clock: () => performance.now() };
  const given = { candidate, read: createReadClient(client), write: createWriteClient(client) };
  const contenders = {
    raw: () => measureRaw(given),
    onDisk: () => measureContracts(given, directory),
    inMemory: () => measureContracts(given, inMemory),
  };
  const rounds = [];
  // The first round is for what is made, compiled or cached on first use.
  for (let round = 0; round <= ROUNDS; round += 1) {
    const figures = {};
    for (const [name, measure] of Object.entries(contenders)) figures[name] = await measure();
    if (round > 0) rounds.push(figures);
  }
  await open.close();
  const each = (figure) =>
    Object.fromEntries(
      ["prepared", "executed", "both"].map((what) => [
        what,
        rounded(median(rounds.map((figures) => figure(figures, what)))),
      ]),
    );
  const rate = (name) => each((figures, what) => figures[name][what]);
  const ratio = (name) => each((figures, what) => figures[name][what] / figures.raw[what]);
  console.log(
    JSON.stringify({
      name: "contracts",
      rounds: ROUNDS,
      contractsARound: CONTRACTS,
      perSecond: { raw: rate("raw"), onDisk: rate("onDisk"), inMemory: rate("inMemory") },
      ratios: { onDisk: ratio("onDisk"), inMemory: ratio("inMemory") },
    }),
  );
  code = 0;
} catch (error) {
  console.error(error);
} finally {
  for (const place of [directory, inMemory]) rmSync(place, { recursive: true, force: true });
  // The first process of its namespace: what it started ends with it.
  process.exit(code);
}
