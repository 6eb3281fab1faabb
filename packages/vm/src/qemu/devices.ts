import type { SealedDevice } from "../observe/topology.js";
import { CONTROL_CHANNEL } from "../vmm.js";

/** The three disks in the order in which the guest sees them; the serial is how it finds them. */
export const DISKS = [
  { name: "agent", readOnly: true },
  { name: "root", readOnly: true },
  { name: "upper", readOnly: false },
] as const;
export type DiskName = (typeof DISKS)[number]["name"];

export const diskId = (name: DiskName): string => `disk-${name}`;
/** QOM ids may not contain dots. */
export const portId = (channel: string): string => `port-${channel.replaceAll(".", "-")}`;
export const chardevId = (channel: string): string => `char-${channel.replaceAll(".", "-")}`;

export const CONSOLE_CHARDEV = "char-console";
export const MONITOR_CHARDEV = "char-monitor";

/** Exactly what the machine has from boot on, sorted by id. No network card: absent, not filtered. */
export const sealedDevices = (): readonly SealedDevice[] =>
  [
    { id: "console", driver: "isa-serial", parent: "machine" },
    ...DISKS.map(({ name }) => ({
      id: diskId(name),
      driver: "virtio-blk-device",
      parent: "machine",
    })),
    { id: "serial", driver: "virtio-serial-device", parent: "machine" },
    { id: portId(CONTROL_CHANNEL), driver: "virtserialport", parent: "serial" },
  ].sort(byId);

export const grantableDevices = (channels: readonly string[]): readonly SealedDevice[] =>
  channels
    .map((channel) => ({ id: portId(channel), driver: "virtserialport", parent: "serial" }))
    .sort(byId);

export const sealedChardevs = (channels: readonly string[]): readonly string[] =>
  [CONSOLE_CHARDEV, MONITOR_CHARDEV, ...[CONTROL_CHANNEL, ...channels].map(chardevId)].sort();

const byId = (left: SealedDevice, right: SealedDevice): number => (left.id < right.id ? -1 : 1);
