import { isObject, protocol, type QmpObject, type QmpValue } from "./decode.js";

/** What one command needs of a client; a test passes a function. */
export interface QmpExecutor {
  execute(command: string, args?: QmpObject): Promise<QmpValue>;
}

/**
 * The memory file is not part of the stream, and the end of a migration is told by an event.
 * QEMU 7.2 has no command-line option for these.
 */
export const prepareMigration = async (qmp: QmpExecutor): Promise<void> => {
  await qmp.execute("migrate-set-capabilities", {
    capabilities: [
      { capability: "x-ignore-shared", state: true },
      { capability: "events", state: true },
    ],
  });
};

/** @param uri e.g. `fd:7`: with `spawn=deny` there is no `exec:`. */
export const migrate = async (qmp: QmpExecutor, uri: string): Promise<void> => {
  await qmp.execute("migrate", { uri });
};

export const migrateIncoming = async (qmp: QmpExecutor, uri: string): Promise<void> => {
  await qmp.execute("migrate-incoming", { uri });
};

export const cont = async (qmp: QmpExecutor): Promise<void> => {
  await qmp.execute("cont");
};

export const stop = async (qmp: QmpExecutor): Promise<void> => {
  await qmp.execute("stop");
};

export const quit = async (qmp: QmpExecutor): Promise<void> => {
  await qmp.execute("quit");
};

/** Gives the guest one serial port more, named `name`, whose host end is the chardev. */
export const addPort = async (
  qmp: QmpExecutor,
  port: { readonly id: string; readonly chardev: string; readonly name: string },
): Promise<void> => {
  await qmp.execute("device_add", { driver: "virtserialport", bus: "serial.0", ...port });
};

export const deleteDevice = async (qmp: QmpExecutor, id: string): Promise<void> => {
  await qmp.execute("device_del", { id });
};

/** Ids of the devices that were given one, as plugged now. */
export const peripherals = async (qmp: QmpExecutor): Promise<readonly string[]> =>
  list(await qmp.execute("qom-list", { path: "/machine/peripheral" })).map((entry) =>
    text(entry, "name"),
  );

export const removeChardev = async (qmp: QmpExecutor, id: string): Promise<void> => {
  await qmp.execute("chardev-remove", { id });
};

export interface QomObject {
  readonly path: string;
  readonly type: string;
}

/**
 * All objects below /machine, sorted by path. From the text that is meant for people, because
 * asking for each of 200 objects takes 300 ms; a line of any other form is refused.
 */
export const qomTree = async (qmp: QmpExecutor): Promise<readonly QomObject[]> => {
  const value = await qmp.execute("human-monitor-command", { "command-line": "info qom-tree" });
  if (typeof value !== "string") throw protocol("the object tree isn't text");
  return parseQomTree(value);
};

export const parseQomTree = (text: string): readonly QomObject[] => {
  const lines = text.split("\r\n").filter((line) => line !== "");
  if (lines.length > MAX_ITEMS) throw protocol("too many objects");
  const path: string[] = [];
  const found = lines.map((line): QomObject => {
    const [, indent, name, type] = /^((?: {2})*)\/(\S.*) \(([^()]+)\)$/.exec(line) ?? [];
    const depth = (indent ?? "").length / 2;
    if (name === undefined || type === undefined || depth > path.length) {
      throw protocol("an object tree that isn't one");
    }
    path.splice(depth, path.length, name);
    return { path: `/${path.join("/")}`, type };
  });
  return found.sort((left, right) => (left.path < right.path ? -1 : 1));
};

export interface BlockDevice {
  /** QOM path of the device that shows this disk to the guest. */
  readonly qdev: string;
  readonly file: string;
  readonly readOnly: boolean;
}

export const queryBlock = async (qmp: QmpExecutor): Promise<readonly BlockDevice[]> =>
  list(await qmp.execute("query-block")).flatMap((entry) => {
    const inserted = entry["inserted"];
    if (!isObject(inserted)) return [];
    const readOnly = inserted["ro"];
    if (typeof readOnly !== "boolean") throw protocol("a disk without its mode");
    return [{ qdev: text(entry, "qdev"), file: text(inserted, "file"), readOnly }];
  });

export interface Chardev {
  readonly label: string;
  readonly filename: string;
}

export const queryChardev = async (qmp: QmpExecutor): Promise<readonly Chardev[]> =>
  list(await qmp.execute("query-chardev")).map((entry) => ({
    label: text(entry, "label"),
    filename: text(entry, "filename"),
  }));

/** Names of all network cards; a machine without any answers with an empty list. */
export const queryNics = async (qmp: QmpExecutor): Promise<readonly string[]> =>
  list(await qmp.execute("query-rx-filter")).map((entry) => text(entry, "name"));

export const queryKvm = async (qmp: QmpExecutor): Promise<boolean> => {
  const value = await qmp.execute("query-kvm");
  const enabled = isObject(value) ? value["enabled"] : undefined;
  if (typeof enabled !== "boolean") throw protocol("query-kvm without `enabled`");
  return enabled;
};

/** More devices, disks or properties than any machine of ours has. */
const MAX_ITEMS = 4096;

const list = (value: QmpValue): readonly QmpObject[] => {
  if (!Array.isArray(value) || value.length > MAX_ITEMS) throw protocol("not a list, or too long");
  return value.map((entry: QmpValue) => {
    if (!isObject(entry)) throw protocol("a list item isn't an object");
    return entry;
  });
};

const text = (value: QmpValue, key: string, absent?: string): string => {
  const found = isObject(value) ? value[key] : undefined;
  if (found === undefined && absent !== undefined) return absent;
  if (typeof found !== "string") throw protocol(`${key} isn't text`);
  return found;
};
