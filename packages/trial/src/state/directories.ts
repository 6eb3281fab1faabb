import { DrydockError } from "@drydock/evidence";
import type { HaltPlace } from "@drydock/ledger";

export interface StateDirectories {
  /** Keys, ledger, journal, halt records and evidence. */
  readonly state: string;
  /** Images and snapshots: may be deleted at any time. */
  readonly cache: string;
}

/**
 * DRYDOCK_HOME, or the XDG base directories. An empty or relative variable is an error and not a
 * default: a ledger in the wrong place would be a second ledger. So is an empty HOME, where one is
 * needed.
 *
 * @throws DrydockError HOME_INVALID
 */
export const stateDirectories = (
  environment: Readonly<Record<string, string | undefined>>,
  userHome: string,
): StateDirectories => {
  const given = absolute(environment, "DRYDOCK_HOME");
  if (given !== null) return { state: given, cache: `${given}/cache` };
  const state = absolute(environment, "XDG_STATE_HOME") ?? below(userHome, ".local/state");
  const cache = absolute(environment, "XDG_CACHE_HOME") ?? below(userHome, ".cache");
  return { state: `${state}/drydock`, cache: `${cache}/drydock` };
};

/** Honoured whatever DRYDOCK_HOME says. */
export const MACHINE_HALT = "/etc/drydock/halt";

export const haltPlaces = (
  directories: { readonly state: string; readonly cache?: string },
  machine: string = MACHINE_HALT,
): readonly [home: HaltPlace, machine: HaltPlace] => [
  { scope: "home", path: `${directories.state}/halt` },
  { scope: "machine", path: machine },
];

const below = (userHome: string, folder: string): string => {
  if (userHome.startsWith("/")) return `${userHome.replace(/\/+$/, "")}/${folder}`;
  throw new DrydockError("HOME_INVALID", "HOME is not an absolute path", {
    fix: "Set HOME to your home directory, or DRYDOCK_HOME to the directory for Drydock's state.",
  });
};

const absolute = (
  environment: Readonly<Record<string, string | undefined>>,
  name: string,
): string | null => {
  const value = environment[name];
  if (value === undefined) return null;
  if (value.startsWith("/") && !value.split("/").includes("..")) return value.replace(/\/+$/, "");
  throw new DrydockError("HOME_INVALID", `${name} is not an absolute path`, {
    fix: `Set ${name} to an absolute path without "..", or unset it.`,
  });
};
