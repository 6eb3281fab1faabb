import { DrydockError, quote } from "@drydock/evidence";
import {
  type Document,
  isMap,
  isNode,
  isScalar,
  LineCounter,
  type Node,
  parseDocument,
  visit,
} from "yaml";
import type * as z from "zod/mini";

/**
 * Larger than any hand-written file. The YAML parser is quadratic in places: at this size the worst
 * input found takes about three seconds, at a mebibyte it takes minutes.
 */
export const MAX_USER_FILE_BYTES = 64 * 1024;

/** At most this many findings are shown; a person fixes some and runs it again. */
const MAX_FINDINGS = 10;

/** A file as its schema understood it, and where in it what stands. */
export interface UserFile<T> {
  readonly value: T;
  /** Line, from 1, of the value at a path, or of the closest one around it. */
  readonly lineOf: (path: readonly PropertyKey[]) => number;
}

/**
 * Reads a file that a person wrote, YAML 1.2 (core schema) or JSON, which is a subset of it. One
 * document; duplicate keys, aliases, anchors, tags and unknown keys are refused.
 *
 * @param name as the user gave it, for messages.
 * @throws DrydockError FILE_TOO_LARGE, FILE_ENCODING, FILE_SYNTAX, or FILE_INVALID; each finding
 * as `name:line:column: what`, one a line.
 */
export const readUserFile = <T>(
  bytes: Uint8Array,
  schema: z.ZodMiniType<T>,
  name: string,
): UserFile<T> => {
  const lines = new LineCounter();
  const document = readDocument(decode(bytes, name), lines, name);
  const parsed = schema.safeParse(plainValue(document));
  if (parsed.success) {
    return {
      value: parsed.data,
      lineOf: (path) => Math.max(1, lines.linePos(valueOffset(document, path)).line),
    };
  }
  const findings = parsed.error.issues.flatMap((issue) => findingsOf(issue, document));
  throw new DrydockError("FILE_INVALID", report(name, lines, findings), {
    fix: `Correct ${name} at the places named.`,
  });
};

interface Finding {
  readonly offset: number;
  readonly what: string;
}

const decode = (bytes: Uint8Array, name: string): string => {
  if (bytes.length > MAX_USER_FILE_BYTES) {
    throw new DrydockError("FILE_TOO_LARGE", `${name} is longer than ${MAX_USER_FILE_BYTES} bytes`);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new DrydockError("FILE_ENCODING", `${name} is not UTF-8`, {
      fix: "Save it as UTF-8.",
      cause,
    });
  }
};

const readDocument = (text: string, lines: LineCounter, name: string): Document.Parsed => {
  const document = parseDocument(text, {
    lineCounter: lines,
    version: "1.2",
    schema: "core",
    strict: true,
    uniqueKeys: true,
    merge: false,
    prettyErrors: false,
  });
  const problems = [...document.errors, ...document.warnings].map(({ pos, message }) => ({
    offset: pos[0],
    what: message,
  }));
  const findings = [...problems, ...unwanted(document)];
  if (findings.length === 0) return document;
  throw new DrydockError("FILE_SYNTAX", report(name, lines, findings), {
    fix: `Correct the YAML in ${name}; aliases, anchors and tags aren't allowed.`,
  });
};

/** What YAML can say and a reviewed file has no use for. */
const unwanted = (document: Document.Parsed): readonly Finding[] => {
  const findings: Finding[] = [];
  const add = (node: Node, what: string): void => {
    findings.push({ offset: node.range?.[0] ?? 0, what });
  };
  visit(document, {
    // Aliases share and multiply values: what is read isn't what stands there.
    Alias: (_, node) => add(node, "an alias"),
    Value: (_, node) => {
      if (node.anchor !== undefined) add(node, "an anchor");
      if (node.tag !== undefined) add(node, "a tag");
    },
    Pair: (_, { key }) => {
      // 1 and "1" are two keys to YAML and one to JavaScript.
      if (isNode(key) && !(isScalar(key) && typeof key.value === "string")) {
        add(key, "a key that isn't text: quote it");
      }
    },
  });
  return findings;
};

/** Only for documents without `unwanted` parts: with nested keys this alone takes exponential time. */
const plainValue = (document: Document.Parsed): unknown => document.toJS({ maxAliasCount: 0 });

const findingsOf = (issue: z.core.$ZodIssue, document: Document.Parsed): readonly Finding[] => {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      offset: keyOffset(document, issue.path, key),
      what: `unknown key ${quote(key)}${at(issue.path)}`,
    }));
  }
  const what = `${issue.path.map(String).join(".") || "file"}: ${issue.message}`;
  return [{ offset: valueOffset(document, issue.path), what }];
};

const at = (path: readonly PropertyKey[]): string =>
  path.length === 0 ? "" : ` in ${path.map(String).join(".")}`;

/** `getIn` gives the value of a key; for a key that shouldn't be there the place is the key. */
const keyOffset = (
  document: Document.Parsed,
  path: readonly PropertyKey[],
  key: PropertyKey,
): number => {
  const parent = path.length === 0 ? document.contents : document.getIn([...path], true);
  const pair = isMap(parent)
    ? parent.items.find((item) => isScalar(item.key) && item.key.value === key)
    : undefined;
  return isNode(pair?.key) ? (pair.key.range?.[0] ?? 0) : valueOffset(document, path);
};

/** Of the value, or of the closest one around it when there is none. */
const valueOffset = (document: Document.Parsed, path: readonly PropertyKey[]): number => {
  for (let length = path.length; length > 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node)) return node.range?.[0] ?? 0;
  }
  return document.contents?.range?.[0] ?? 0;
};

const report = (name: string, lines: LineCounter, findings: readonly Finding[]): string => {
  const shown = findings.slice(0, MAX_FINDINGS).map(({ offset, what }) => {
    const { line, col } = lines.linePos(offset);
    // In an empty file there are no lines yet.
    return `${name}:${Math.max(1, line)}:${Math.max(1, col)}: ${what}`;
  });
  const more = findings.length - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join("\n");
};
