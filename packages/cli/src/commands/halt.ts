import { setTimeout as delay } from "node:timers/promises";
import { DrydockError, signIn } from "@drydock/evidence";
import {
  type HaltPlace,
  haltOff,
  haltOn,
  haltStatus,
  proposeHaltOff,
  statementBytes,
} from "@drydock/ledger";
import {
  ensureDirectories,
  ensureState,
  haltPlaces,
  loadControllerKey,
  whyHalted,
} from "@drydock/trial";
import { isProcessAlive, listSlots, readBootId, readOwner, slotAt } from "@drydock/vm";
import { visible } from "../terminal/sanitise.js";
import {
  directories,
  haltCheck,
  type JsonFlag,
  openLedgerForReading,
  print,
  stateLayout,
} from "./context.js";

/** How long a controller may take to end its run in order before it is killed for the reaper. */
const ORDERLY_MS = 15_000;
/** And how long the reaper may take after that. */
const REAPER_MS = 15_000;
const POLL_MS = 50;

const MAX_REASON = 500;

const checkReason = (reason: string): void => {
  if (reason !== "" && reason !== "--" && reason.length <= MAX_REASON) return;
  throw new DrydockError("HALT_REASON", "--reason doesn't give one", {
    fix: `Say why in 1 to ${MAX_REASON} characters: whoever lifts the halt has to know.`,
  });
};

const placeFor = (machine: boolean | undefined): HaltPlace => {
  const [home, everywhere] = haltPlaces(directories());
  return machine === true ? everywhere : home;
};

/** A run that holds a slot of this machine, whichever state directory it belongs to. */
interface LiveRun {
  readonly run: string;
  readonly slot: number;
}

/** `drydock halt on`: nothing new starts, and what runs is killed, its channels first. */
export const haltOnCommand = async (
  flags: JsonFlag & { readonly reason: string; readonly machine?: boolean },
): Promise<number> => {
  checkReason(flags.reason);
  // Without keys, which somebody may be making: a halt waits for nobody.
  if (process.getuid?.() === 0) ensureDirectories(directories().state);
  const record = haltOn(placeFor(flags.machine), flags.reason, new Date().toISOString());
  if (process.getuid?.() === 0) ensureDirectories(directories().state);
  const { generation } = haltStatus(haltPlaces(directories()), haltCheck());
  const ledger = openLedgerForReading();
  const own = ledger === null ? [] : await ledger.haltBarrier(generation);
  ledger?.close();
  const running = liveRuns().filter(
    ({ run }) => flags.machine === true || own.some((row) => row.run === run),
  );
  const survivors = await stopRuns(running);
  const stopped = running.map(({ run }) => run).filter((run) => !survivors.includes(run));
  print(
    flags,
    { generation, record: record.generation, stopped, notStopped: survivors },
    [
      `halted (generation ${generation}); stopped ${stopped.length} runs`,
      ...survivors.map((run) => `could not stop ${visible(run)}`),
      "",
    ].join("\n"),
  );
  return survivors.length === 0 ? 0 : 1;
};

/** A slot is given back only when the kernel lists nothing of its run any more. */
const liveRuns = (): readonly LiveRun[] =>
  listSlots().flatMap((slot) => {
    const owner = readOwner(slotAt(slot, ""));
    return owner === undefined ? [] : [{ run: owner.run, slot }];
  });

/** SIGTERM asks a controller to halt its run; SIGKILL leaves it to the reaper. */
const stopRuns = async (running: readonly LiveRun[]): Promise<readonly string[]> => {
  let open = running;
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    for (const run of open) tellController(run, signal);
    const deadline = Date.now() + (signal === "SIGTERM" ? ORDERLY_MS : REAPER_MS);
    while (open.length > 0 && Date.now() < deadline) {
      await delay(POLL_MS);
      const live = liveRuns();
      open = open.filter(({ run }) => live.some((one) => one.run === run));
    }
  }
  return open.map(({ run }) => run);
};

const tellController = ({ run, slot }: LiveRun, signal: NodeJS.Signals): void => {
  const record = readOwner(slotAt(slot, run));
  if (record?.run !== run || record.bootId !== readBootId()) return;
  for (const owner of record.owners)
    if (owner.role === "controller" && isProcessAlive(owner)) tell(owner.pid, signal);
};

const tell = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
};

/** `drydock halt off`: signs the statement that lifts the halt, and writes it down. */
export const haltOffCommand = async (
  flags: JsonFlag & { readonly reason: string; readonly machine?: boolean },
): Promise<number> => {
  checkReason(flags.reason);
  const place = placeFor(flags.machine);
  const statement = proposeHaltOff(place, flags.reason, new Date().toISOString(), haltCheck());
  // Whoever halted before there were keys lifts it with those that are made now.
  if (process.getuid?.() === 0) await ensureState(directories().state, new Date());
  const check = haltCheck();
  const key = loadControllerKey(stateLayout());
  const value = signIn("halt", statementBytes(statement), key).toString("base64");
  const record = haltOff(place, statement, { keyId: key.public.keyId, value }, check);
  if (process.getuid?.() === 0) ensureDirectories(directories().state);
  const { halted } = haltStatus(haltPlaces(directories()), check);
  print(
    flags,
    { generation: record.generation, halted },
    halted ? "lifted here; another halt is still on: drydock halt status\n" : "lifted\n",
  );
  return 0;
};

/** `drydock halt status` */
export const haltStatusCommand = (flags: JsonFlag): number => {
  const status = haltStatus(haltPlaces(directories()), haltCheck());
  print(
    flags,
    {
      halted: status.halted,
      generation: status.generation,
      places: status.places.map(({ place, judgement }) => ({ path: place.path, ...judgement })),
    },
    status.halted ? `halted: ${visible(whyHalted(status), 2000)}\n` : "no halt\n",
  );
  return 0;
};
