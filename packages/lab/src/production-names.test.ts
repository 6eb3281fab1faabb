import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const PACKAGES = fileURLToPath(new URL("../../", import.meta.url));

const sources = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => join(folder, name));

/** Names of variables, and whether the environment is looked at, by the syntax tree. */
const lookedAt = (text: string): { readonly names: readonly string[]; readonly env: boolean } => {
  const names: string[] = [];
  let env = false;
  const visit = (node: ts.Node): void => {
    const isText = ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isIdentifier(node);
    if (isText) names.push(...(node.text.match(/PFSENSE_[A-Z_]*/g) ?? []));
    if (ts.isPropertyAccessExpression(node) && node.name.text === "env") env = true;
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile("x.ts", text, ts.ScriptTarget.Latest, true));
  return { names, env };
};

test("no lab code names a production variable, or reads the environment by itself", () => {
  const folders = ["lab/src", "acceptance/src", "faults/src"].map((name) => join(PACKAGES, name));
  const files = folders.flatMap(sources);
  assert.ok(files.length > 100);
  for (const file of files) {
    const { names, env } = lookedAt(readFileSync(file, "utf8"));
    assert.deepEqual(
      names.filter((name) => !name.startsWith("PFSENSE_LAB_")),
      [],
      file,
    );
    assert.equal(env, false, `${file} reads the environment`);
  }
});

test("and the look would see one", () => {
  assert.deepEqual(lookedAt('const a = "PFSENSE_API_KEY_FILE";').names, ["PFSENSE_API_KEY_FILE"]);
  assert.deepEqual(lookedAt(["const a = `PFSENSE_$", "{b}`;"].join("")).names, ["PFSENSE_"]);
  assert.ok(lookedAt("process.env.X").env);
});
