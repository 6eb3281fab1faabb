import * as z from "zod/mini";

/** Of an error: nothing that somebody wrote. */
export const code = z.string().check(z.regex(/^[A-Z][A-Z0-9_]{0,63}$/));
