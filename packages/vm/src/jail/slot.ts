import { randomUUID } from "node:crypto";
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { parseJson, shape } from "@drydock/evidence";
import { errnoOf, vmError } from "../errors.js";
import { ensureDirectory } from "./directory.js";
import { type ProcessIdentity, readBootId } from "./process.js";
import { egressUid, MAX_SLOTS, portUid, vmmUid } from "./uids.js";

/** Where slots live; /run is emptied by a reboot, as are the processes that slots stand for. */
export const RUNTIME_DIRECTORY = "/run/drydock";

/** In a slot's directory: whose it is. */
export const OWNER_FILE = "owner.json";

/** One run's place on this machine. Its number decides every id, path and name the run uses. */
export interface Slot {
  readonly number: number;
  readonly run: string;
  readonly directory: string;
  /** Sockets of the VMM: each is reachable by one process, the port or the broker. */
  readonly sockets: string;
  /** Mount point for the private root; empty in the host's own mount namespace. */
  readonly root: string;
  readonly vmm: { readonly uid: number; readonly gid: number };
  readonly port: { readonly uid: number; readonly gid: number };
  /** The broker, if the run has one. */
  readonly egress: { readonly uid: number; readonly gid: number };
}

const ownerRecord = shape.object({
  run: shape.id,
  bootId: shape.pattern(/^[0-9a-f-]{36}$/, "a boot id"),
  owners: shape.array(
    shape.object({
      role: shape.id,
      pid: shape.integer(1),
      startTime: shape.integer(0),
    }),
    8,
  ),
  /** Groups that may hold processes of this slot; written before any of them is created. */
  cgroups: shape.array(shape.text(4096, 1), 16),
});
export type OwnerRecord = shape.Shape<typeof ownerRecord>;

export interface SlotOwner extends ProcessIdentity {
  /** `launcher`, `reaper`, `controller` … */
  readonly role: string;
}

export interface SlotRange {
  /** The machine's own, unless a test keeps its own list: then with numbers nobody else uses. */
  readonly runtimeDirectory?: string;
  /** Lowest number to take: ids follow from the number, whatever the directory. */
  readonly first?: number;
}

/**
 * Takes the lowest free slot. A complete directory is renamed into place, and rename(2) refuses a
 * target that isn't empty: nobody ever sees a slot without its owner.
 *
 * @throws DrydockError SLOT_NONE_FREE
 */
export const allocateSlot = (
  run: string,
  owner: SlotOwner,
  { runtimeDirectory = RUNTIME_DIRECTORY, first = 0 }: SlotRange = {},
): Slot => {
  const slots = slotsDirectory(runtimeDirectory);
  for (const directory of [runtimeDirectory, slots]) {
    ensureDirectory(directory, 0o711);
    if (lstatSync(directory).uid !== 0) {
      throw vmError("SLOT_RECORD", `${directory} does not belong to root`, {
        fix: `Remove ${directory}.`,
      });
    }
  }
  const fresh = join(slots, `.new-${owner.pid}-${randomUUID()}`);
  ensureDirectory(fresh, 0o711);
  try {
    ensureDirectory(join(fresh, "sock"), 0o711);
    mkdirSync(join(fresh, "root"), { mode: 0o700 });
    writeOwner(fresh, { run, bootId: readBootId(), owners: [pickOwner(owner)], cgroups: [] });
    for (let number = first; number < MAX_SLOTS; number += 1) {
      if (renameUnlessTaken(fresh, join(slots, String(number)))) {
        return slotAt(number, run, runtimeDirectory);
      }
    }
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    throw error;
  }
  rmSync(fresh, { recursive: true, force: true });
  throw vmError("SLOT_NONE_FREE", `all ${MAX_SLOTS} slots are taken`, {
    fix: "Wait for a run to end, or run `drydock doctor` to find runs that are stuck.",
  });
};

/** The paths and ids of a slot, computed from its number. */
export const slotAt = (
  number: number,
  run: string,
  runtimeDirectory: string = RUNTIME_DIRECTORY,
): Slot => {
  const directory = join(slotsDirectory(runtimeDirectory), String(number));
  return {
    number,
    run,
    directory,
    sockets: join(directory, "sock"),
    root: join(directory, "root"),
    vmm: { uid: vmmUid(number), gid: vmmUid(number) },
    port: { uid: portUid(number), gid: portUid(number) },
    egress: { uid: egressUid(number), gid: egressUid(number) },
  };
};

/** Numbers of all slots that exist, sorted. */
export const listSlots = (runtimeDirectory: string = RUNTIME_DIRECTORY): readonly number[] => {
  try {
    return readdirSync(slotsDirectory(runtimeDirectory))
      .filter((name) => /^(0|[1-9][0-9]{0,3})$/.test(name))
      .map(Number)
      .sort((left, right) => left - right);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw error;
  }
};

/** Undefined when the slot is gone. @throws DrydockError SLOT_RECORD */
export const readOwner = (slot: Slot): OwnerRecord | undefined => {
  const path = ownerPath(slot.directory);
  try {
    return ownerRecord.read(parseJson(readFileSync(path)), "owner.json");
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw vmError("SLOT_RECORD", `${path} is not an owner record`, { cause: error });
  }
};

/** Adds a process that keeps the slot alive, e.g. the reaper that outlives the launcher. */
export const addSlotOwner = (slot: Slot, owner: SlotOwner): void =>
  updateOwner(slot, (record) => ({ ...record, owners: [...record.owners, pickOwner(owner)] }));

/** Adds groups of the slot; before they are made. */
export const recordCgroups = (slot: Slot, cgroups: readonly string[]): void =>
  updateOwner(slot, (record) => ({ ...record, cgroups: [...record.cgroups, ...cgroups] }));

/** Takes groups that are gone out of the record. */
export const forgetCgroups = (slot: Slot, gone: readonly string[]): void =>
  updateOwner(slot, (record) => ({
    ...record,
    cgroups: record.cgroups.filter((directory) => !gone.includes(directory)),
  }));

const slotsDirectory = (runtimeDirectory: string): string => join(runtimeDirectory, "slots");
const ownerPath = (directory: string): string => join(directory, OWNER_FILE);

const pickOwner = ({ role, pid, startTime }: SlotOwner): SlotOwner => ({ role, pid, startTime });

const updateOwner = (slot: Slot, change: (record: OwnerRecord) => OwnerRecord): void => {
  const record = readOwner(slot);
  if (record === undefined) throw vmError("SLOT_RECORD", `slot ${slot.number} is gone`);
  writeOwner(slot.directory, change(record));
};

const writeOwner = (directory: string, record: OwnerRecord): void => {
  const temporary = join(directory, `.owner-${randomUUID()}`);
  writeFileSync(temporary, JSON.stringify(record), { mode: 0o600, flag: "wx" });
  renameSync(temporary, ownerPath(directory));
};

const renameUnlessTaken = (fresh: string, target: string): boolean => {
  try {
    renameSync(fresh, target);
    return true;
  } catch (error) {
    if (errnoOf(error) === "ENOTEMPTY" || errnoOf(error) === "EEXIST") return false;
    throw error;
  }
};
