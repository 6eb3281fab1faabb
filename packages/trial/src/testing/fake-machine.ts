import type { Duplex } from "node:stream";
import type { Machine, MachineEvent, VmmObservation } from "@drydock/vm";
import { attachFakeGuest, type GuestPorts, type GuestScript } from "./fake-guest.js";
import { pipePair, type Tamper } from "./pipe.js";

export interface FakeMachine {
  readonly machine: Machine;
  readonly guest: GuestPorts;
  /** What a guest prints. */
  readonly console: Duplex;
  /** Bytes of the guest on the bulk channel that are no frame of ours. */
  bulkRaw(bytes: Uint8Array): void;
  /** Host ends that are open. */
  readonly open: ReadonlySet<string>;
  /** The VMM is gone. */
  die(): void;
  /** Whoever owned the host ends is gone: nobody hears of anything any more. */
  silence(): void;
  stopped(reason: string): void;
}

const CONTROL = "drydock.control.0";

export const NO_DEVICES: VmmObservation = {
  devices: [],
  treeDigest: `sha256:${"0".repeat(64)}`,
  disks: [],
  chardevs: [],
  nics: [],
  kvm: false,
};

/** A machine without its doors is no longer the one that was sealed. */
const TAKEN_APART: VmmObservation = { ...NO_DEVICES, chardevs: ["char-of-nothing"] };

/** A VMM's host side in this process: no machine, and a guest that follows a script. */
export const fakeMachine = (script: GuestScript, tamper?: Tamper): FakeMachine => {
  const [control, guestControl] = pipePair(tamper);
  const [bulk, guestBulk] = pipePair(tamper);
  const [ours, console] = pipePair();
  const listeners = new Set<(event: MachineEvent) => void>();
  const open = new Set([CONTROL]);
  const ends = new Map<string, Duplex>([
    [CONTROL, control],
    ["drydock.bulk.0", bulk],
  ]);
  const say = (event: MachineEvent): void => {
    for (const listener of [...listeners]) listener(event);
  };
  const die = (): void => {
    for (const end of [...ends.values(), ours]) end.destroy();
    open.clear();
    say({ kind: "closed", reason: "the VMM is gone" });
  };
  return {
    guest: attachFakeGuest(guestControl, () => guestBulk, script),
    console,
    bulkRaw: (bytes) => void guestBulk.write(bytes),
    open,
    die,
    silence: () => {
      listeners.clear();
      for (const end of [...ends.values(), ours])
        end.removeAllListeners().on("error", () => undefined);
    },
    stopped: (reason) => say({ kind: "stopped", reason }),
    machine: {
      console: ours,
      control,
      start: async () => undefined,
      resume: async () => undefined,
      grant: async (channel) => {
        open.add(channel);
        return bulk;
      },
      plug: async (channel) => void open.add(channel),
      revoke: async (channel) => {
        open.delete(channel);
        ends.get(channel)?.destroy();
      },
      observe: async () => (open.has(CONTROL) ? NO_DEVICES : TAKEN_APART),
      onEvent: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      quit: async () => die(),
    },
  };
};
