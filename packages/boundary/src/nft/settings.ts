import { DrydockError, quote } from "@drydock/evidence";
import * as z from "zod/mini";
import type { BoundaryCode } from "../codes.js";
import { parseIpAnswer } from "../engine/index.js";
import type { ObservedSettings, Setting } from "../readback/index.js";
import type { ChangeableNamespace } from "./host-namespace.js";
import { inside, runInside } from "./inside.js";
import type { NetworkNamespace } from "./namespace.js";

const SYSCTL = /^net\/[A-Za-z0-9_./-]{1,120}$/;
const BRIDGE_FLAG =
  /^bridge\/(?<bridge>[A-Za-z0-9][A-Za-z0-9_.-]{0,14})\/(?<flag>[a-z0-9_]{1,40})$/;
const PROC_NET = /^proc\/(?<name>[a-z0-9_]{1,40})$/;

/** Where settings are read from: programs that are run for it, or ones that stay in the namespace. */
export interface SettingsSource {
  /** Their last or only lines; what can't be read, or has none, is left out. */
  files(paths: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** `ip -json -details link show type bridge` */
  bridges(): Promise<string>;
}

/**
 * What the settings are in a namespace. A sysctl that the kernel doesn't have is null; so is the
 * flag of a bridge that isn't there, and a file of /proc/net without lines.
 *
 * @throws DrydockError IP_MISSING, IP_ANSWER, TOOL_…
 */
export const readSettings = (
  namespace: NetworkNamespace,
  names: readonly string[],
): Promise<ObservedSettings> =>
  readSettingsFrom(
    {
      files: (paths) => readFiles(namespace, paths),
      bridges: async () =>
        (await inside(namespace, "ip", ["-j", "-d", "link", "show", "type", "bridge"])).toString(
          "utf8",
        ),
    },
    names,
  );

/** `readSettings`, from another source. */
export const readSettingsFrom = async (
  source: SettingsSource,
  names: readonly string[],
): Promise<ObservedSettings> => {
  const paths = new Map(names.filter((name) => !BRIDGE_FLAG.test(name)).map((n) => [pathOf(n), n]));
  const observed = new Map<string, string | null>([...paths.values()].map((name) => [name, null]));
  if (paths.size > 0) {
    for (const [path, value] of await source.files([...paths.keys()])) {
      const name = paths.get(path);
      if (name !== undefined) observed.set(name, value);
    }
  }
  const flags = names.filter((name) => BRIDGE_FLAG.test(name));
  if (flags.length > 0) {
    const bridges = bridgesIn(await source.bridges());
    for (const name of flags) {
      const { bridge = "", flag = "" } = BRIDGE_FLAG.exec(name)?.groups ?? {};
      const value = bridges.get(bridge)?.[flag];
      observed.set(name, value === undefined ? null : String(value));
    }
  }
  return observed;
};

/**
 * Sets each sysctl and bridge's flag that isn't as expected to the first value that it may have.
 *
 * @throws DrydockError TOOL_FAILED for one that the kernel doesn't have
 */
export const writeSettings = async (
  namespace: ChangeableNamespace,
  settings: readonly Setting[],
): Promise<void> => {
  const observed = await readSettings(
    namespace,
    settings.map(({ name }) => name),
  );
  for (const { name, allowed } of settings) {
    const [wanted] = allowed;
    if (wanted === undefined || wanted === null) continue;
    if (allowed.includes(observed.get(name) ?? null)) continue;
    const { bridge, flag } = BRIDGE_FLAG.exec(name)?.groups ?? {};
    if (bridge !== undefined && flag !== undefined) {
      await inside(namespace, "ip", ["link", "set", bridge, "type", "bridge", flag, wanted]);
    } else {
      await inside(namespace, "tee", [pathOf(name)], { input: wanted });
    }
  }
};

const pathOf = (name: string): string => {
  const file = PROC_NET.exec(name)?.groups?.["name"];
  if (file !== undefined) return `/proc/self/net/${file}`;
  return SYSCTL.test(name) && !name.includes("..")
    ? `/proc/sys/${name}`
    : refuse(`${quote(name)} is no setting`);
};

/** grep prints each file's lines behind its name, and ends with 2 when one of them isn't there. */
const readFiles = async (
  namespace: NetworkNamespace,
  paths: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  const { stdout } = await runInside(namespace, "grep", ["-sH", "", "--", ...paths]);
  const values = new Map<string, string>();
  for (const line of stdout.toString("latin1").split("\n")) {
    const colon = line.indexOf(":");
    if (colon > 0) values.set(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  return values;
};

const bridgesAnswer = z.array(
  z.object({
    ifname: z.string(),
    linkinfo: z.object({ info_data: z.record(z.string(), z.unknown()) }),
  }),
);

type Flags = Readonly<Record<string, unknown>>;

/** From netlink, since /sys shows the network namespace that it was mounted in. */
const bridgesIn = (text: string): ReadonlyMap<string, Flags> =>
  new Map(
    parseIpAnswer(text, bridgesAnswer).map(({ ifname, linkinfo }) => [ifname, linkinfo.info_data]),
  );

const refuse = (what: string): never => {
  throw new DrydockError<BoundaryCode>("SETTING_UNKNOWN", what, {
    fix: "name a setting that a boundary rests on",
  });
};
