import { pfsenseAliasDescription } from "@drydock/acceptance";
import { type Digest, digestOfValue } from "@drydock/evidence";
import { chosenScenarios, deadlineFor, MAX_REPEAT, type PlannedCase } from "@drydock/lab";
import type { LabInputs } from "@drydock/trial";
import { locateProgram } from "../../program.js";
import type { JsonFlag } from "../context.js";
import { usage } from "../usage.js";

export interface LabAcceptFlags extends JsonFlag {
  readonly scenario?: readonly string[];
  readonly seed: string;
  readonly repeat: string;
  readonly output?: string;
  readonly target: "stand-in" | "appliance";
  readonly approval?: string;
  readonly approvalSignature?: string;
}

const MAX_SEED = 2 ** 32 - 1;

/** What is asked for, as it is sealed. */
export interface Asked extends LabInputs {
  /** In the order in which they are played. */
  readonly planned: readonly PlannedCase[];
  /** Null for all. */
  readonly names: readonly string[] | null;
}

/** @throws DrydockError USAGE, LAB_SCENARIO */
export const askedFor = ({ scenario, target, ...flags }: LabAcceptFlags): Asked => {
  const names = scenario === undefined ? null : [...new Set(scenario)].sort();
  const seed = integer("--seed", flags.seed, 0, MAX_SEED);
  const repeat = integer("--repeat", flags.repeat, 1, MAX_REPEAT);
  const scenarios = chosenScenarios(names).map(({ name, variant, ...rest }) => ({
    ...{ name, variant },
    oracle: digestOfValue(rest),
  }));
  return {
    command: [
      "drydock lab accept",
      ...(target === "stand-in" ? [] : [`--target ${target}`]),
      ...(names ?? []).map((name) => `--scenario ${name}`),
      `--seed ${seed} --repeat ${repeat}`,
    ].join(" "),
    target: "stand-in",
    adapter: { name: pfsenseAliasDescription.semanticUnit, digest: adapterDigest() },
    ...{ seed, repeat, names, scenarios },
    deadlineMs: deadlineFor(repeat),
    extent: names === null ? "all" : "some",
    planned: Array.from({ length: repeat }, () => scenarios)
      .flat()
      .map(({ name, variant }) => ({ name, variant })),
  };
};

/** An adapter that comes with this program changes with it: another build is another adapter. */
const adapterDigest = (): Digest => {
  const { capability, endpointSymbol, httpMethod, semanticUnit } = pfsenseAliasDescription;
  const drydock = locateProgram().digest();
  return digestOfValue({ capability, endpointSymbol, httpMethod, semanticUnit, drydock });
};

const integer = (flag: string, given: string, from: number, to: number): number => {
  const value = /^(0|[1-9][0-9]{0,9})$/.test(given) ? Number(given) : -1;
  if (value >= from && value <= to) return value;
  throw usage(`${flag} is not a whole number from ${from} to ${to}`, `Write ${flag} ${from}.`);
};
