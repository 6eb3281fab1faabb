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
import { type Place, refuseFile } from "./report.js";
import type { Source } from "./source.js";

/**
 * YAML 1.2, core schema, one document; JSON is a subset of it.
 *
 * @throws DrydockError FILE_SYNTAX
 */
export const readYaml = (text: string, name: string): Source => {
  const lines = new LineCounter();
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    // In an empty file there are no lines yet.
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const document = readDocument(text, lines);
  const findings = tooDeep(document) ?? [...problemsOf(document), ...unwanted(document)];
  if (findings.length > 0) {
    const placed = findings.map(({ offset, what }) => ({
      place: placeAt(offset),
      code: null,
      what,
    }));
    const fix = `Correct the YAML in ${name}; aliases, anchors and tags aren't allowed.`;
    return refuseFile("FILE_SYNTAX", name, placed, fix);
  }
  return {
    value: plainValue(document),
    placeOf: (path) => placeAt(valueOffset(document, path)),
    keyPlaceOf: (path, key) => placeAt(keyOffset(document, path, key)),
  };
};

interface Finding {
  readonly offset: number;
  readonly what: string;
}

const problemsOf = ({ errors, warnings }: Document.Parsed): readonly Finding[] =>
  [...errors, ...warnings].map(({ pos, message }) => ({ offset: pos[0], what: message }));

/** The parser recurses; where its stack ended, whatever else it says of the file is a consequence. */
const tooDeep = ({ errors }: Document.Parsed): readonly Finding[] | null => {
  const error = errors.find(({ code }) => code === "RESOURCE_EXHAUSTION");
  return error === undefined ? null : [{ offset: error.pos[0], what: "nested too deeply" }];
};

const readDocument = (text: string, lineCounter: LineCounter): Document.Parsed =>
  parseDocument(text, {
    lineCounter,
    version: "1.2",
    schema: "core",
    strict: true,
    uniqueKeys: true,
    merge: false,
    prettyErrors: false,
  });

/** As JSON has integers. Core YAML also reads 007, 0x7, +7, 7.0 and 7e0 as seven. */
const INTEGER = /^(?:0|-?[1-9][0-9]*)$/;

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
      if (isScalar(node) && typeof node.value === "number" && !INTEGER.test(node.source ?? "")) {
        add(node, "a number that isn't an integer in its one spelling");
      }
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
