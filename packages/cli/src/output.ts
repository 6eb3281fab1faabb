import { isDrydockError } from "@drydock/evidence";
import { visible } from "./terminal/sanitise.js";
import type { Style } from "./terminal/style.js";

/** One error as a person sees it: what is wrong, then what to do. */
export const describeError = (error: unknown, style: Style): string => {
  if (!isDrydockError(error)) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const shown = text.split("\n").map((line) => visible(line, 2000));
    return `${style.bad("drydock: internal error")}: ${shown.join("\n")}\nThis is a defect; please report it (SECURITY.md).\n`;
  }
  const lines = error.message.split("\n").map((line) => visible(line, 2000));
  const fix = error.fix === undefined ? "" : `\n  ${style.dim("fix:")} ${visible(error.fix, 2000)}`;
  return `${style.bad("drydock:")} ${lines.join("\n")}${fix}\n  ${style.dim(`(${visible(error.code)})`)}\n`;
};

/**
 * What Commander says of a command line, which repeats what was typed. The line break at the end and
 * the one before its suggestion are its own.
 */
export const describeUsage = (text: string): string =>
  text
    .split(/\n(?=\(Did you mean |$)/)
    .map((line) => visible(line, 2000))
    .join("\n");

/** An error as one JSON object. */
export const errorJson = (error: unknown): string =>
  `${JSON.stringify({
    error: isDrydockError(error)
      ? { code: error.code, message: error.message, fix: error.fix ?? null }
      : { code: "INTERNAL", message: String(error), fix: null },
  })}\n`;
