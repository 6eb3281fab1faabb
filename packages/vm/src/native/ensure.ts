import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DrydockError, digestOf } from "@drydock/evidence";
import { imageError } from "../image/errors.js";
import type { Tools } from "../image/tools.js";
import {
  adoptExecutable,
  derivationKey,
  derive,
  type Outputs,
  type Store,
  type StoredObject,
  temporaryPath,
  verifiedObjectPath,
} from "../store/index.js";

/**
 * Static, so that one binary serves the host, the initial RAM file system and any imported root;
 * without a build id and paths, so that equal sources give equal bytes.
 */
const FLAGS = [
  "-std=c11",
  "-O2",
  "-static",
  "-Wall",
  "-Wextra",
  "-fstack-protector-strong",
  "-D_FORTIFY_SOURCE=2",
  "-Wl,--build-id=none",
  "-Wl,-z,relro,-z,now",
  "-s",
] as const;

const VERSION = 1;
const NATIVE = "native";

/**
 * The compiled drydock-native, from the store when the same compiler made it from the same source.
 */
export const buildNative = async (
  store: Store,
  tools: Tools,
  source: string,
): Promise<StoredObject> => {
  const text = readSource(source);
  const compiler = await tools.run("cc", ["--version"]);
  const key = derivationKey(NATIVE, VERSION, {
    source: digestOf(text),
    compiler: compiler.split("\n")[0] ?? "",
    flags: FLAGS,
  });
  const { outputs } = await derive(store, key, async () => ({
    [NATIVE]: await compile(store, tools, text),
  }));
  return outputOf(outputs);
};

const outputOf = (outputs: Outputs): StoredObject => {
  const native = outputs[NATIVE];
  if (native === undefined) throw imageError("IMAGE_INPUT", "the store forgot drydock-native");
  return native;
};

/**
 * The path of an executable drydock-native in the store. Asking the compiler for its version takes
 * longer than all else a run does here, so an unchanged compiler file is not asked again.
 */
export const ensureNative = async (store: Store, tools: Tools, source: string): Promise<string> => {
  const compiler = tools.identify("cc");
  if (compiler === undefined) {
    return verifiedObjectPath(store, (await buildNative(store, tools, source)).digest);
  }
  const key = derivationKey("native-path", VERSION, {
    source: digestOf(readSource(source)),
    compiler,
    flags: FLAGS,
  });
  const { outputs } = await derive(store, key, async () => ({
    [NATIVE]: await buildNative(store, tools, source),
  }));
  return verifiedObjectPath(store, outputOf(outputs).digest);
};

const readSource = (source: string): Buffer => {
  try {
    return readFileSync(source);
  } catch (cause) {
    throw imageError("IMAGE_INPUT", `cannot read ${source}`, {
      fix: "Install Drydock again; the file is part of it.",
      cause,
    });
  }
};

const compile = async (store: Store, tools: Tools, text: Buffer): Promise<StoredObject> => {
  const scratch = temporaryPath(store);
  mkdirSync(scratch, { mode: 0o700 });
  try {
    // A relative name and a fixed one, so that no path of this machine gets into the binary.
    const name = "drydock-native.c";
    writeFileSync(join(scratch, name), text);
    await tools.run("cc", [...FLAGS, "-o", "drydock-native", name], { cwd: scratch });
    return await adoptExecutable(store, join(scratch, "drydock-native"));
  } catch (cause) {
    if (cause instanceof DrydockError && cause.code === "IMAGE_TOOL_FAILED") {
      throw imageError("IMAGE_TOOL_FAILED", cause.message, {
        fix: "apt-get install gcc libc6-dev",
        cause,
      });
    }
    throw cause;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
};
