import { readFileSync } from "node:fs";
import { trustEnvironment } from "@drydock/broker";
import { DrydockError, isDrydockError, quote } from "@drydock/evidence";
import { LAB_VARIABLES } from "@drydock/lab";
import { type RunSpec, requireRoot } from "@drydock/trial";
import { inspectImage } from "@drydock/vm";
import { type RunFlags, specFromFlags } from "../flags.js";
import { openImageStore } from "../image.js";
import { runCommand } from "../run.js";
import { shellCommand } from "../shell.js";
import type { Starter } from "../starter.js";
import { type CommandSurroundings, IN_GUEST, type StandIn } from "./guest/given.js";
import { guestProgram } from "./guest-program.js";
import { requireUnprivileged } from "./require-unprivileged.js";

/** What the set of modules `lab` brings: without it a kernel has no link for the stand-in's address. */
const LINK_MODULE = "dummy";

/** The one account that has a key; see `labAccounts`. */
const IDENTITY = "lab";

const HTTPS = 443;

/**
 * `drydock lab appliance --in-guest`: a run, or without a command a shell, whose command finds the
 * stand-in beside it in the guest.
 */
export const labApplianceInGuest = async (
  standIn: StandIn,
  flags: RunFlags,
  command: readonly string[],
): Promise<number> => {
  requireRoot("starting a virtual machine behind its walls");
  const inGuest = { ...flags, image: flags.image ?? "lab" };
  refuseGiven(flags.env ?? []);
  requireUnprivileged(specFromFlags(inGuest, command));
  if (command.length === 0) requireTerminal();
  requireLink(inGuest.image);
  const starter = besideStandIn(standIn);
  return command.length === 0
    ? shellCommand(inGuest, [], starter)
    : runCommand(inGuest, command, starter);
};

/** An attestation is an operator's: nothing here writes one, and who has staged one may name it. */
const { attestationFile: _operators, ...SET_HERE } = LAB_VARIABLES;

const refuseGiven = (pairs: readonly string[]): void => {
  const set: readonly string[] = Object.values(SET_HERE);
  const given = pairs.map((pair) => pair.split("=")[0] ?? "").find((name) => set.includes(name));
  if (given === undefined) return;
  throw new DrydockError("USAGE", `--env ${given} would name another appliance`, {
    fix: "Leave it out: it is set.",
  });
};

const requireTerminal = (): void => {
  if (process.stdin.isTTY === true && process.stdout.isTTY === true) return;
  throw new DrydockError("NO_TERMINAL", "a shell beside a stand-in needs a terminal", {
    fix: "Name a command after --, or use a terminal on both sides.",
  });
};

const BUILD = "drydock image build base --name lab --modules lab";

const requireLink = (image: string): void => {
  if (modulesOf(image).includes(LINK_MODULE)) return;
  throw new DrydockError("LAB_IMAGE", `the image ${quote(image)} has no link for a stand-in`, {
    fix: `Build one that has: ${BUILD}`,
  });
};

const modulesOf = (image: string): readonly string[] => {
  try {
    return inspectImage(openImageStore(), image).manifest.runtime.modules;
  } catch (error) {
    if (!isDrydockError(error) || error.code !== "IMAGE_UNKNOWN") throw error;
    throw new DrydockError(error.code, error.message, { fix: `Build one: ${BUILD}`, cause: error });
  }
};

const besideStandIn = (standIn: StandIn): Starter => ({
  // Sealed with the run: which stand-in it was is part of what was tried.
  argv: (command) => [
    ...["unshare", "--net", "node", IN_GUEST.program],
    ...[JSON.stringify(standIn), ...command],
  ],
  provide: async (lab, spec) => {
    const { user } = spec;
    const surroundings: CommandSurroundings = { user, env: environmentOf(standIn, spec) };
    await lab.writeFile(IN_GUEST.program, readFileSync(guestProgram("stand-in.mjs")));
    await lab.writeFile(IN_GUEST.command, JSON.stringify(surroundings));
  },
  // It is root there: what is meant for the command decides nothing of how it starts.
  as: () => ({ env: {}, user: "root" }),
});

/** By its name, which the guest resolves to its address alone. */
const environmentOf = (
  { name, port, candidate }: StandIn,
  { env }: RunSpec,
): Readonly<Record<string, string>> => ({
  ...trustEnvironment(IN_GUEST.ca),
  ...env,
  [SET_HERE.url]: port === HTTPS ? `https://${name}` : `https://${name}:${port}`,
  [SET_HERE.identity]: IDENTITY,
  [SET_HERE.keyFile]: IN_GUEST.labKey,
  ...(candidate === null ? {} : { [SET_HERE.candidate]: candidate }),
});
