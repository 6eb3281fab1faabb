import { isDrydockError } from "@drydock/evidence";
import * as z from "zod/mini";

/** An error that nobody provided for, without its message, which could hold anything. */
export interface Unexpected {
  /** A code of ours or of the system's, or the class of the error. */
  readonly code: string;
  /** Which of our lines threw it, such as `scenario/play.js:42`; null where none did. */
  readonly at: string | null;
}

const WORD = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;
/** A frame of a stack: what is kept of its path is the last folder and the file. */
const FRAME = /([\w-]+\/[\w.-]+\.c?js):(\d+):\d+\)?$/m;

export const unexpectedOf = (error: unknown): Unexpected => {
  if (!(error instanceof Error)) return { code: "UNEXPECTED", at: null };
  const { code } = error as NodeJS.ErrnoException;
  const words = [code, isDrydockError(error) ? undefined : error.constructor.name];
  const [, file, line] = FRAME.exec(frames(error)) ?? [];
  return {
    code: words.find((word) => typeof word === "string" && WORD.test(word)) ?? "UNEXPECTED",
    at: file === undefined ? null : `${file}:${line}`,
  };
};

/** Behind the message, which a stack begins with and which may look like a frame. */
const frames = ({ stack = "", message }: Error): string =>
  stack.slice(Math.max(0, stack.indexOf(message)) + message.length);

export const unexpectedShape: z.ZodMiniType<Unexpected> = z.strictObject({
  code: z.string().check(z.regex(WORD)),
  at: z.nullable(z.string().check(z.regex(/^[\w./:-]{1,128}$/))),
});
