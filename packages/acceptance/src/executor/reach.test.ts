import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const SOURCES = fileURLToPath(new URL("../../src/", import.meta.url));

/** Of tests; the simulator sends to an appliance that it makes up itself. */
const SUPPORT = /\.test\.ts$|(^|\/)testing\/|^simulation\//;

/** What is shipped of a folder, parsed. */
const shipped = (folder: string): readonly (readonly [file: string, tree: ts.SourceFile])[] =>
  readdirSync(join(SOURCES, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.ts$/.test(file) && !SUPPORT.test(file))
    .map((file) => {
      const text = readFileSync(join(SOURCES, folder, file), "utf8");
      return [file, ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)];
    });

const nodesOf = (tree: ts.Node): readonly ts.Node[] => {
  const nodes: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    nodes.push(node);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return nodes;
};

/** Calls of `….send(`, whatever it is a member of. */
const sendsIn = (tree: ts.SourceFile): readonly ts.Node[] =>
  nodesOf(tree).filter(
    (node) =>
      ts.isCallExpression(node) &&
      ts.isPropertyAccessExpression(node.expression) &&
      node.expression.name.text === "send",
  );

const LOOPS: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.ForStatement,
  ts.SyntaxKind.ForInStatement,
  ts.SyntaxKind.ForOfStatement,
  ts.SyntaxKind.WhileStatement,
  ts.SyntaxKind.DoStatement,
]);

test("there is one place that sends, and no loop in the executor that could come by it again", () => {
  const places = shipped(".").flatMap(([file, tree]) => sendsIn(tree).map(() => file));
  assert.deepEqual(places, ["executor/send-once.ts"]);
  for (const [file, tree] of shipped("executor")) {
    const loops = nodesOf(tree).filter(({ kind }) => LOOPS.has(kind));
    assert.deepEqual(loops.length, 0, file);
  }
});

test("the executor imports rules and shapes: no network, no file, no clock, no lab", () => {
  const folders = [
    "@drydock/evidence",
    "../adapter/index.js",
    "../artifact/index.js",
    "../canonical/index.js",
    "../client/index.js",
    "../codes.js",
    "../confirmation/index.js",
    "../contract/index.js",
    "../history/index.js",
    "../reconciliation/index.js",
    "../store/index.js",
  ];
  for (const [file, tree] of shipped("executor")) {
    for (const node of nodesOf(tree)) {
      if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
        if (node.moduleSpecifier === undefined) continue;
        assert.ok(ts.isStringLiteral(node.moduleSpecifier));
        const { text } = node.moduleSpecifier;
        assert.ok(/^\.\/[\w-]+\.js$/.test(text) || folders.includes(text), `${file}: ${text}`);
      }
      const called =
        ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
      assert.equal(called, false, `${file}: import()`);
      if (ts.isIdentifier(node)) {
        const beyond = ["process", "fetch", "Date", "setTimeout", "globalThis", "crypto"];
        assert.ok(!beyond.includes(node.text), `${file}: ${node.text}`);
      }
    }
  }
});

test("nothing of this package names an appliance or where one could be configured", () => {
  for (const [file, tree] of shipped(".")) {
    if (file.startsWith("conformance/guest/")) continue;
    assert.doesNotMatch(
      tree.text,
      /https?:\/\/|process\.env|node:(net|tls|https?|http2|dns)/,
      file,
    );
  }
});
