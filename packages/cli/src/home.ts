import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { DrydockError } from "@drydock/evidence";

/** Where Drydock keeps what outlives a run. */
export interface Home {
  /** Keys, ledger, journal, runs; 0700. */
  readonly state: string;
  /** Images, snapshots, compiled helper: all of it can be made again. */
  readonly cache: string;
}

const absolute = (name: string, value: string): string => {
  if (!isAbsolute(value))
    throw new DrydockError("HOME_RELATIVE", `${name} is "${value}", not an absolute path`, {
      fix: `Set ${name} to an absolute path, or unset it.`,
    });
  return value;
};

/**
 * DRYDOCK_HOME holds both when it is set; otherwise the XDG Base Directory specification decides.
 *
 * @throws DrydockError HOME_RELATIVE
 */
export const resolveHome = (environment: Readonly<Record<string, string | undefined>>): Home => {
  const own = environment["DRYDOCK_HOME"];
  if (own !== undefined && own !== "") {
    const state = absolute("DRYDOCK_HOME", own);
    return { state, cache: join(state, "cache") };
  }
  const user = environment["HOME"] || homedir();
  const base = (name: string, fallback: string): string => {
    const value = environment[name];
    // The specification says that relative paths are to be ignored.
    return value !== undefined && isAbsolute(value) ? value : join(user, fallback);
  };
  return {
    state: join(base("XDG_STATE_HOME", ".local/state"), "drydock"),
    cache: join(base("XDG_CACHE_HOME", ".cache"), "drydock"),
  };
};
