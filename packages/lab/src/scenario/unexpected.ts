import * as z from "zod/mini";

/** An error that nobody provided for, without its message, which could hold anything. */
export interface Unexpected {
  /** A code of ours or of the system's, or the class of the error. */
  readonly code: string;
  /** Which of our lines threw it, such as `scenario/play.js:42`; null where none did. */
  readonly at: string | null;
}

const CODE = /^[A-Z][A-Z0-9_]{0,63}$/;
const CLASS = /^[A-Z][A-Za-z0-9]{0,63}$/;
/** A frame of a stack: what is kept of its path is the last folder and the file. */
const FRAME = /([\w-]+\/[\w.-]+\.c?js):(\d+):\d+\)?$/m;

/** Guard: what is kept of an error is nothing that its thrower could have put a value into. */
export const unexpectedOf = (error: unknown): Unexpected => {
  if (!(error instanceof Error)) return { code: "UNEXPECTED", at: null };
  const [, file, line] = FRAME.exec(frames(error)) ?? [];
  return { code: codeOf(error), at: file === undefined ? null : `${file}:${line}` };
};

const codeOf = (error: Error & { readonly code?: unknown }): string => {
  const { code } = error;
  if (typeof code === "string" && CODE.test(code)) return code;
  const { name } = error.constructor;
  return CLASS.test(name) ? name : "UNEXPECTED";
};

/** Behind the message, which a stack begins with and which may look like a frame. */
const frames = ({ stack, message }: Error): string =>
  typeof stack === "string"
    ? stack.slice(Math.max(0, stack.indexOf(message)) + message.length)
    : "";

export const unexpectedShape: z.ZodMiniType<Unexpected> = z.strictObject({
  code: z.string().check(z.regex(/^[A-Z][A-Za-z0-9_]{0,63}$/)),
  at: z.nullable(z.string().check(z.regex(/^[\w./:-]{1,128}$/))),
});
