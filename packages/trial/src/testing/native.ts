import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureNative, openStore, systemTools } from "@drydock/vm";
import { testCache } from "./command-line.js";

/** The compiled helper of this source tree, from the store that all tests share. */
export const testNative = (): Promise<string> =>
  ensureNative(
    openStore(join(testCache(), "images")),
    systemTools(),
    fileURLToPath(new URL("../../../vm/native/drydock-native.c", import.meta.url)),
  );
