/**
 * The program that runs in a guest: `node --experimental-vm-modules kit ADAPTER [TYPESCRIPT]`. Prints
 * one report.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { REPORT_SCHEMA } from "../protocol.js";
import { checkFile } from "./check-file.js";

const { stdout, argv } = process;

/** As much of TypeScript as is used; which TypeScript it is, the author decides. */
interface Compiler {
  readonly ModuleKind: { readonly ESNext: number };
  readonly ScriptTarget: { readonly ES2022: number };
  readonly transpileModule: (
    source: string,
    options: { readonly compilerOptions: { readonly module: number; readonly target: number } },
  ) => { readonly outputText: string };
}

/** The author's own TypeScript makes JavaScript of the author's file. */
const toJavaScript = (source: string, compiler: string): string => {
  const { transpileModule, ModuleKind, ScriptTarget } = createRequire(compiler)(
    compiler,
  ) as Compiler;
  const { outputText } = transpileModule(source, {
    compilerOptions: { module: ModuleKind.ESNext, target: ScriptTarget.ES2022 },
  });
  return outputText;
};

const [, , adapter = "", compiler] = argv;
const text = readFileSync(adapter, "utf8");
const source = compiler === undefined ? text : toJavaScript(text, compiler);
const results = await checkFile(source);
stdout.write(`${JSON.stringify({ schema: REPORT_SCHEMA, results })}\n`);
