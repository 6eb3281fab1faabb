import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { quote } from "@drydock/evidence";
import {
  CANDIDATE_FORM,
  isCandidate,
  namespaceIdentity,
  type Place,
  requirePlace,
} from "@drydock/lab";
import { requireRoot } from "@drydock/trial";
import { flagName } from "../check-flags.js";
import type { JsonFlag } from "../context.js";
import type { RunFlags } from "../flags.js";
import { usage } from "../usage.js";
import type { StandIn } from "./guest/given.js";

export interface LabApplianceFlags extends JsonFlag {
  readonly address: string;
  readonly port: string;
  readonly name: string;
  readonly besides?: readonly string[];
  readonly files?: string;
  readonly candidate?: string;
  readonly apiVersion: string;
  readonly control?: boolean;
  /** What the process in the namespace is told by the one that made it. */
  readonly inside?: string;
}

/** The same verb's flags that say how a guest and the command in it are. */
export interface ApplianceInGuestFlags extends RunFlags {
  readonly inGuest?: boolean;
}

/** What the process in the namespace has to know. Nothing in it is secret. */
export interface InsideOptions extends StandIn {
  readonly files: string;
  readonly control: boolean;
  readonly json: boolean;
  /** The process that made the namespace, and the one that it is in itself. */
  readonly parent: number;
  readonly starter: string;
}

/**
 * `drydock lab appliance`: makes a network namespace without a name, which is gone with the process
 * that it is for, and starts the stand-in in it; or does so in a guest, with a command beside it.
 */
export const labAppliance = async (
  flags: LabApplianceFlags & ApplianceInGuestFlags,
  command: readonly string[],
): Promise<number> => {
  if (flags.inside !== undefined) {
    const { serveInside } = await import("./appliance-inside.js");
    return serveInside(JSON.parse(flags.inside) as InsideOptions);
  }
  const standIn = standInOf(flags);
  if (flags.inGuest === true) {
    refuseOutside(flags);
    const { labApplianceInGuest } = await import("./appliance-in-guest.js");
    return labApplianceInGuest(standIn, flags, command);
  }
  refuseInGuest(flags, command);
  requireRoot("making a network namespace");
  const files = flags.files === undefined ? temporaryFiles() : ownFiles(flags.files);
  return runInside({
    ...standIn,
    files,
    control: flags.control === true,
    json: flags.json === true,
    parent: process.pid,
    starter: namespaceIdentity(),
  });
};

const standInOf = (flags: LabApplianceFlags): StandIn => {
  const place = placeOf(flags);
  const { besides = [], candidate = null, apiVersion } = flags;
  for (const address of besides) requirePlace({ ...place, address });
  requireCandidate(candidate);
  if (!/^2\.[0-9]{1,2}\.[0-9]{1,2}$/.test(apiVersion)) {
    throw usage(`${quote(apiVersion)} is no version of the package`, "write one such as 2.10.0");
  }
  return { ...place, besides, candidate, apiVersion };
};

/** Nothing of the stand-in's leaves a guest, and what is in it has no standard input of its own. */
const refuseOutside = ({ files, control }: LabApplianceFlags): void => {
  const given = files !== undefined ? "--files" : control === true ? "--control" : null;
  if (given === null) return;
  throw usage(`${given} says nothing of a stand-in in a guest`, "leave it out");
};

const OUTSIDE: ReadonlySet<string> = new Set<keyof LabApplianceFlags>([
  ...(["address", "port", "name", "besides", "files", "candidate"] as const),
  ...(["apiVersion", "control", "inside", "json"] as const),
]);

/** What those that say how a run is are when nobody gives them. */
const UNSAID: Readonly<Record<string, unknown>> = { snapshot: true, exit: "command" };

const refuseInGuest = (flags: object, command: readonly string[]): void => {
  const said = Object.entries(flags).find(
    ([name, value]) => !OUTSIDE.has(name) && UNSAID[name] !== value,
  );
  const what = command.length > 0 ? "a command" : said === undefined ? null : flagName(said[0]);
  if (what !== null) throw usage(`${what} says nothing without --in-guest`, "add it");
};

const placeOf = ({ address, port, name }: LabApplianceFlags): Place => {
  if (!/^[0-9]{1,5}$/.test(port)) {
    throw usage(`--port ${quote(port)} is no port`, "name one from 1 to 65535");
  }
  const place = { address, port: Number(port), name };
  requirePlace(place);
  return place;
};

const requireCandidate = (candidate: string | null): void => {
  if (candidate === null || isCandidate(candidate)) return;
  throw usage(`${quote(candidate)} is no name of a candidate`, `write ${CANDIDATE_FORM}`);
};

/**
 * A directory that is gone when this process is, however it ends: a shell waits for the end of a pipe
 * that only this process holds open.
 */
const temporaryFiles = (): string => {
  const directory = mkdtempSync(join(tmpdir(), "drydock-appliance-"));
  const remover = spawn("sh", ["-c", 'cat >/dev/null; rm -rf -- "$0"', directory], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  remover.unref();
  return directory;
};

/** Credentials don't belong into a repository, nor where others can read them. */
const ownFiles = (given: string): string => {
  const directory = resolve(given);
  for (let at = directory; at !== dirname(at); at = dirname(at)) {
    if (existsSync(join(at, ".git"))) {
      throw usage(`${quote(given)} is in a repository`, "name a directory outside of any");
    }
  }
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const stat = lstatSync(directory);
  const known = ["state", "ca.pem", "admin-password", "supervisor-password", "lab-api-key"];
  if (!stat.isDirectory() || stat.uid !== process.getuid?.() || (stat.mode & 0o077) !== 0) {
    throw usage(
      `${quote(given)} isn't a directory that is yours alone`,
      "chmod 700 it, or name another",
    );
  }
  if (readdirSync(directory).some((entry) => !known.includes(entry))) {
    throw usage(`${quote(given)} has other files`, "name a new directory");
  }
  return directory;
};

/** The kernel kills the child when this process is gone; the namespace has no other holder. */
const runInside = async (options: InsideOptions): Promise<number> => {
  const self = process.argv[1] ?? "";
  const child = spawn(
    "setpriv",
    [
      ...["--pdeathsig", "KILL", "unshare", "--net"],
      ...[process.execPath, ...process.execArgv, self],
      ...["lab", "appliance", "--inside", JSON.stringify(options)],
    ],
    { stdio: [options.control ? "inherit" : "ignore", "inherit", "inherit"] },
  );
  const end = (): void => void child.kill("SIGTERM");
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, end);
  const [code] = (await once(child, "exit")) as [number | null];
  return code ?? 1;
};
