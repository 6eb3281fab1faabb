import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { DrydockError, digestOf, quote } from "@drydock/evidence";

/** An adapter with all that it brings along, bundled, is a fraction of it. */
const MAX_ADAPTER_BYTES = 1024 * 1024;

/** The compiler's one file is nine mebibytes today. */
const MAX_COMPILER_BYTES = 64 * 1024 * 1024;

export interface AdapterFile {
  readonly bytes: Buffer;
  readonly digest: string;
  /** What makes JavaScript of it in the guest; null where nothing has to. */
  readonly compiler: Buffer | null;
}

/**
 * Reads an adapter, and of its author's TypeScript the compiler if the adapter is written in it.
 * Neither is run here, nor looked into.
 *
 * @throws DrydockError USAGE, ADAPTER_FILE, TYPESCRIPT_MISSING
 */
export const readAdapterFile = (path: string): AdapterFile => {
  const language = /\.(m?[jt]s)$/.exec(path)?.[1];
  if (language === undefined) {
    throw new DrydockError("USAGE", `${quote(path)} is neither .js nor .ts`, {
      fix: "Give one file, an ES module; bundle what it needs into it.",
    });
  }
  const bytes = readBounded(path, MAX_ADAPTER_BYTES);
  const compiler = language.endsWith("ts")
    ? readBounded(compilerOf(path), MAX_COMPILER_BYTES)
    : null;
  return { bytes, digest: digestOf(bytes), compiler };
};

/** As a program beside the adapter would find it: which TypeScript it is, its author has decided. */
const compilerOf = (path: string): string => {
  try {
    return createRequire(resolve(path)).resolve("typescript");
  } catch (cause) {
    throw new DrydockError(
      "TYPESCRIPT_MISSING",
      `no typescript is installed beside ${quote(path)}`,
      {
        fix: "Install typescript there, or give the JavaScript that it was compiled to.",
        cause,
      },
    );
  }
};

const refused = (path: string, what: string, cause?: unknown): DrydockError =>
  new DrydockError("ADAPTER_FILE", `${quote(path)} ${what}`, {
    fix: "Give one file that can be read.",
    cause,
  });

const readBounded = (path: string, limit: number): Buffer => {
  const descriptor = opened(path);
  try {
    const found = fstatSync(descriptor);
    if (!found.isFile()) throw refused(path, "is no file");
    if (found.size > limit) throw refused(path, `is longer than ${limit} bytes`);
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};

const opened = (path: string): number => {
  try {
    // A pipe would be waited for.
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (cause) {
    throw refused(path, "can't be opened", cause);
  }
};
