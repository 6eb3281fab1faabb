import { SourceTextModule, SyntheticModule } from "node:vm";
import { canonicalise } from "@drydock/evidence";
import { ADAPTER_CODES, AdapterError } from "../../adapter/index.js";

/** The one module that an adapter's file may import. */
const TOOLKIT = "drydock/adapter";

const TOOLKIT_EXPORTS = { ADAPTER_CODES, AdapterError, canonicalise } as const;

const toolkit = (): SyntheticModule =>
  new SyntheticModule(Object.keys(TOOLKIT_EXPORTS), function () {
    for (const [name, value] of Object.entries(TOOLKIT_EXPORTS)) this.setExport(name, value);
  });

/**
 * Evaluates the file as a module, anew. What it imports goes by here, static or not: the linker is
 * what there is to import with, so nothing has to be looked for in the text.
 */
export const loadModule = async (
  source: string,
  reached: Set<string>,
): Promise<Readonly<Record<string, unknown>>> => {
  const refuse = (specifier: string): never => {
    reached.add(`import of ${specifier}`);
    throw new Error("an adapter imports nothing but the toolkit");
  };
  const module = new SourceTextModule(source, {
    identifier: "adapter",
    importModuleDynamically: refuse,
  });
  await module.link((specifier) => (specifier === TOOLKIT ? toolkit() : refuse(specifier)));
  await module.evaluate();
  return module.namespace as Readonly<Record<string, unknown>>;
};
