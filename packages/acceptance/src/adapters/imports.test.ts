import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import ts from "typescript";

/** Sources, since a build leaves out imports of types, which are a dependency as well. */
const ADAPTERS = fileURLToPath(new URL("../../src/adapters/", import.meta.url));

/** Where an adapter may get anything from, besides its own folder. */
const ALLOWED: ReadonlySet<string> = new Set([
  "@drydock/evidence",
  "zod/mini",
  "../../adapter/index.js",
  "../../client/index.js",
]);

/** Of client/, an adapter may know shapes; nothing that could be called. */
const TYPES_ALONE: ReadonlySet<string> = new Set(["../../client/index.js"]);

/** What reaches beyond without an import. */
const GLOBALS: ReadonlySet<string> = new Set([
  "process",
  "fetch",
  "require",
  "globalThis",
  "global",
  "WebSocket",
  "setTimeout",
  "setInterval",
  "setImmediate",
  "Date",
  "performance",
  "crypto",
  "eval",
  "Function",
]);

const parse = (text: string, file = "adapter.ts"): ts.SourceFile =>
  ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);

/** Everything on the syntax tree by which a module gets at something that isn't its own. */
const reachesOf = (source: ts.SourceFile): readonly string[] => {
  const reaches: string[] = [];
  const specifier = (node: ts.Expression | undefined): string =>
    node !== undefined && ts.isStringLiteralLike(node) ? node.text : "a computed import";
  const judge = (from: string, typesAlone: boolean): void => {
    const own = /^\.\/[\w-]+\.js$/.test(from);
    if (!own && !ALLOWED.has(from)) reaches.push(from);
    else if (TYPES_ALONE.has(from) && !typesAlone) reaches.push(`${from} beyond its types`);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) {
      const clause = node.importClause;
      const named = clause?.namedBindings;
      const all =
        clause?.phaseModifier === ts.SyntaxKind.TypeKeyword ||
        (named !== undefined &&
          ts.isNamedImports(named) &&
          clause?.name === undefined &&
          named.elements.every(({ isTypeOnly }) => isTypeOnly));
      judge(specifier(node.moduleSpecifier), all);
    } else if (ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined) {
      judge(specifier(node.moduleSpecifier), node.isTypeOnly);
    } else if (ts.isImportEqualsDeclaration(node)) {
      reaches.push("import =");
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      reaches.push(`import(${specifier(node.arguments[0])})`);
    } else if (ts.isMetaProperty(node)) {
      reaches.push("import.meta");
    } else if (ts.isImportTypeNode(node)) {
      reaches.push("an import type");
    } else if (ts.isIdentifier(node) && GLOBALS.has(node.text) && isUse(node)) {
      reaches.push(node.text);
    } else if (ts.isVariableStatement(node) && node.parent === source) {
      const { flags } = node.declarationList;
      if ((flags & ts.NodeFlags.Const) === 0) reaches.push("a variable that calls share");
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return reaches;
};

/** Not as the name of a property, as in `alias.process`. */
const isUse = (node: ts.Identifier): boolean => {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  return !(ts.isPropertyAssignment(parent) && parent.name === node);
};

const sources = readdirSync(ADAPTERS, { recursive: true, encoding: "utf8" }).filter(
  (file) => file.endsWith(".ts") && !file.endsWith(".test.ts"),
);

test("there are adapters to look at", () => {
  assert.deepEqual([...new Set(sources.map(dirname))].sort(), [
    "pfsense-alias-description",
    "synthetic-notice",
  ]);
});

for (const file of sources) {
  test(`${file} reaches for nothing but shapes and its own`, () => {
    const text = readFileSync(join(ADAPTERS, file), "utf8");
    assert.deepEqual(reachesOf(parse(text, relative(ADAPTERS, file))), []);
  });
}

/** Each as somebody may write it who wants more than an adapter has. */
const REACHING: readonly string[] = [
  'import { openContractStore } from "../../store/index.js";',
  'import type { ContractStore } from "../../store/index.js";',
  'import { createExecutor } from "../../executor/index.js";',
  'import { sendOnce } from "../../executor/send-once.js";',
  'import { TransportError } from "../../client/index.js";',
  'import { TransportError, type ReadClient } from "../../client/index.js";',
  'export * from "../../client/index.js";',
  'export { createExecutor } from "../../executor/index.js";',
  'import { request } from "node:https";',
  'import "node:fs";',
  'import fs = require("node:fs");',
  'import { pinnedClient } from "@drydock/lab";',
  'const store = await import("../../store/index.js");',
  'const store = await import("../../" + ["store", "index.js"].join("/"));',
  'type Store = import("../../store/index.js").ContractStore;',
  'import { other } from "../synthetic-notice/notice.js";',
  'import { up } from "./../../executor/index.js";',
  "const { get } = require('node:https');",
  "await fetch('https://192.0.2.1/');",
  "const { env } = process;",
  "const now = Date.now();",
  "const { fetch: get } = globalThis;",
  "let calls = 0;",
  "var last;",
  "const here = import.meta.url;",
];

for (const text of REACHING) {
  test(`seen on the tree: ${text}`, () => assert.notDeepEqual(reachesOf(parse(text)), []));
}

test("what an adapter needs isn't taken for reaching", () => {
  const text = `
    import type { ReadClient } from "../../client/index.js";
    import { type ApiPath } from "../../client/index.js";
    import { AdapterError } from "../../adapter/index.js";
    import { own } from "./own.js";
    export const adapter = { process: own, fetch: (alias) => alias.process };
    const call = () => { let within = 0; within += 1; return within; };
  `;
  assert.deepEqual(reachesOf(parse(text)), []);
});
