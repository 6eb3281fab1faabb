/// <reference lib="es2024.string" />
import { jsonObject, shortName } from "../bench.js";
import { type FileResult, MAX_FOUND_LENGTH } from "../protocol.js";
import { checkConformance } from "../run.js";
import { parseSpecimen, type Specimen } from "../specimen.js";
import { loadModule } from "./modules.js";
import { takeAway } from "./surroundings.js";

/** Puts a file's adapter through everything. The text runs: only ever in a guest. */
export const checkFile = async (source: string): Promise<readonly FileResult[]> => {
  const reached = new Set<string>();
  takeAway(reached);
  const first = await loaded(source, reached);
  if (typeof first === "string") return [failed("LOADS", first), ...reaching(reached)];
  const { results } = await checkConformance(
    async () => (await loadModule(source, reached))["adapter"],
    first,
  );
  return [
    { check: "LOADS", ok: true, found: null },
    reachedNothing(reached),
    ...results.map(short),
  ];
};

/** The specimen, or why there is none. */
const loaded = async (source: string, reached: Set<string>): Promise<Specimen | string> => {
  try {
    const { adapter, specimen } = await loadModule(source, reached);
    if (adapter === undefined) return "it exports no `adapter`";
    if (specimen === undefined) return "it exports no `specimen`";
    return parseSpecimen(jsonObject(specimen, "the specimen")) ?? "`specimen` isn't one";
  } catch (error) {
    return `${shortName(error)}: ${error instanceof Error ? error.message : "thrown"}`;
  }
};

const reachedNothing = (reached: ReadonlySet<string>): FileResult =>
  reached.size === 0
    ? { check: "REACHES_NOTHING", ok: true, found: null }
    : failed("REACHES_NOTHING", `it reaches for ${[...reached].join(", ")}`);

const reaching = (reached: ReadonlySet<string>): readonly FileResult[] =>
  reached.size === 0 ? [] : [reachedNothing(reached)];

const failed = (check: FileResult["check"], found: string): FileResult =>
  short({ check, ok: false, found });

const short = ({ check, ok, found }: FileResult): FileResult => ({
  check,
  ok,
  found: found?.slice(0, MAX_FOUND_LENGTH).toWellFormed() ?? null,
});
