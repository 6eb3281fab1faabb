import { DrydockError, JsonError, quote } from "@drydock/evidence";
import type * as z from "zod/mini";
import { placeOfByte, readJson } from "./json-source.js";
import { type Place, type PlacedFinding, refuseFile } from "./report.js";
import type { Source } from "./source.js";
import { readYaml } from "./yaml-source.js";

/**
 * Larger than any hand-written file. The YAML parser is quadratic in places: at this size the worst
 * input found takes about three seconds, at a mebibyte it takes minutes.
 */
export const MAX_USER_FILE_BYTES = 64 * 1024;

/** Something that is wrong with what a schema accepted. */
export interface UserFinding {
  readonly path: readonly PropertyKey[];
  readonly code: string;
  readonly what: string;
}

/** A file as its schema understood it, and where in it what stands. */
export interface UserFile<T> {
  readonly value: T;
  /** Line, from 1, of the value at a path, or of the closest one around it. */
  readonly lineOf: (path: readonly PropertyKey[]) => number;
  /** Of the key that a path ends in: a name may stand a line above what is said of it. */
  readonly keyLineOf: (path: readonly PropertyKey[]) => number;
  /**
   * For what a schema can't see, one value in the light of another.
   *
   * @throws DrydockError with the first finding's code; each as `name:line:column: CODE: what`.
   */
  readonly refuse: (findings: readonly UserFinding[]) => never;
}

export interface UserFileOptions {
  /**
   * What a program wrote may be longer than what a person writes, if it is JSON, which is read in
   * linear time. Never less than `MAX_USER_FILE_BYTES`.
   */
  readonly maxJsonBytes?: number;
  /** A code for what the schema refused at a path; null for FILE_INVALID. */
  readonly codeOf?: (path: readonly PropertyKey[], issue: z.core.$ZodIssue) => string | null;
}

/**
 * Reads a file that a person wrote, YAML 1.2 (core schema) or JSON, which is a subset of it. One
 * document; duplicate keys, aliases, anchors, tags, numbers that aren't integers and unknown keys
 * are refused.
 *
 * @param schema or which one, for a file that can be of several forms.
 * @param name as the user gave it, for messages.
 * @throws DrydockError FILE_TOO_LARGE, FILE_ENCODING, FILE_SYNTAX, FILE_INVALID or what `codeOf`
 * says; each finding as `name:line:column: what`, one a line.
 */
export const readUserFile = <T>(
  bytes: Uint8Array,
  schema: z.ZodMiniType<T> | ((value: unknown) => z.ZodMiniType<T>),
  name: string,
  { maxJsonBytes = MAX_USER_FILE_BYTES, codeOf = () => null }: UserFileOptions = {},
): UserFile<T> => {
  const source = readSource(bytes, Math.max(maxJsonBytes, MAX_USER_FILE_BYTES), name);
  refuseHidden(source, name);
  const parsed = (typeof schema === "function" ? schema(source.value) : schema).safeParse(
    source.value,
  );
  if (parsed.success) {
    return {
      value: parsed.data,
      lineOf: (path) => source.placeOf(path).line,
      keyLineOf: (path) => source.keyPlaceOf(path.slice(0, -1), path.at(-1) ?? "").line,
      refuse: (findings) =>
        refuseAll(
          name,
          findings.map(({ path, code, what }) => ({ place: source.placeOf(path), code, what })),
        ),
    };
  }
  return refuseAll(
    name,
    parsed.error.issues
      .flatMap(closest)
      .flatMap((issue) => findingsOf(issue, source, codeOf(issue.path, issue))),
  );
};

/** Schemas of maps pass over this key without a word, so that it would stand in a file unread. */
const HIDDEN_KEY = "__proto__";

const refuseHidden = (source: Source, name: string): void => {
  const findings: PlacedFinding[] = [];
  const visit = (value: unknown, path: readonly PropertyKey[]): void => {
    if (typeof value !== "object" || value === null) return;
    if (Object.hasOwn(value, HIDDEN_KEY)) {
      const place = source.keyPlaceOf(path, HIDDEN_KEY);
      findings.push({ place, code: null, what: `key "${HIDDEN_KEY}"` });
    }
    for (const [key, child] of Object.entries(value)) visit(child, [...path, key]);
  };
  visit(source.value, []);
  if (findings.length > 0) refuseAll(name, findings);
};

/**
 * Of the forms that a value could have had, the one that it was nearest to: where what is wrong
 * lies deepest, and then the least of it.
 */
const closest = (issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] => {
  if (issue.code !== "invalid_union" || issue.errors.length === 0) return [issue];
  const depth = (issues: readonly z.core.$ZodIssue[]): number =>
    Math.min(...issues.map(({ path }) => path.length));
  const [nearest] = issue.errors
    .map((form) => form.flatMap(closest))
    .sort((a, b) => depth(b) - depth(a) || a.length - b.length);
  return (nearest ?? []).map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
};

const refuseAll = (name: string, findings: readonly PlacedFinding[]): never =>
  refuseFile("FILE_INVALID", name, findings, `Correct ${name} at the places named.`);

/** What is JSON is read as JSON; whatever else, and what is wrong with JSON, is YAML's to say. */
const readSource = (bytes: Uint8Array, maxJsonBytes: number, name: string): Source => {
  if (bytes.length > maxJsonBytes) {
    throw new DrydockError("FILE_TOO_LARGE", `${name} is longer than ${maxJsonBytes} bytes`, {
      fix: "Leave out what isn't needed, or divide it.",
    });
  }
  const text = decode(bytes, name);
  try {
    return readJson(bytes, maxJsonBytes);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    if (bytes.length <= MAX_USER_FILE_BYTES) return readYaml(text, name);
    return refuseLongFile(error, placeOfByte(bytes, error.offset), name);
  }
};

const refuseLongFile = (cause: JsonError, place: Place, name: string): never =>
  refuseFile(
    "FILE_SYNTAX",
    name,
    [{ place, code: null, what: cause.message }],
    `Write ${name} as JSON, or make it shorter: YAML is read up to ${MAX_USER_FILE_BYTES} bytes.`,
  );

const decode = (bytes: Uint8Array, name: string): string => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new DrydockError("FILE_ENCODING", `${name} is not UTF-8`, {
      fix: "Save it as UTF-8.",
      cause,
    });
  }
};

const findingsOf = (
  issue: z.core.$ZodIssue,
  source: Source,
  code: string | null,
): readonly PlacedFinding[] => {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      place: source.keyPlaceOf(issue.path, key),
      code,
      what: `unknown key ${quote(key)}${at(issue.path)}`,
    }));
  }
  const typed = issue.code === "invalid_type" || issue.code === "invalid_value";
  const said =
    typed && isMissing(source.value, issue.path)
      ? `missing: ${issue.message.replace(/^Invalid \w+: |, received undefined$/g, "")}`
      : issue.message;
  const what = `${shown(issue.path) || "file"}: ${said}`;
  return [{ place: source.placeOf(issue.path), code, what }];
};

/** A schema says of a key that isn't there that undefined was received, which nobody wrote. */
const isMissing = (value: unknown, path: readonly PropertyKey[]): boolean => {
  const [step, ...rest] = path;
  if (step === undefined) return false;
  if (typeof value !== "object" || value === null) return false;
  return !Object.hasOwn(value, step) || isMissing(Reflect.get(value, step), rest);
};

const at = (path: readonly PropertyKey[]): string =>
  path.length === 0 ? "" : ` in ${shown(path)}`;

/** Keys are the file's own words. */
const shown = (path: readonly PropertyKey[]): string =>
  path
    .map((step) => (/^[\w-]{1,64}$/.test(String(step)) ? String(step) : quote(String(step))))
    .join(".");
