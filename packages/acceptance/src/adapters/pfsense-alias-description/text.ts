/// <reference lib="es2024.string" />
import * as z from "zod/mini";
import { MAX_DESCRIPTION_LENGTH, MAX_NAME_LENGTH } from "./bounds.js";

/** ASCII, so that it is its own NFC and there is one spelling. */
export const aliasName = z
  .string()
  .check(z.regex(new RegExp(`^[A-Za-z0-9][A-Za-z0-9_]{0,${MAX_NAME_LENGTH - 1}}$`)));

/**
 * What XML 1.0 §2.2 can't hold, and the carriage return, which §2.11 has every reader turn into a
 * line feed: pfSense keeps its configuration as XML, so neither would be read back as it was sent.
 */
const UNSTORABLE = /[\u0000-\u0008\u000b-\u001f\ufffe\uffff]/;

/** What is asked for: brought into NFC, then measured. An empty description is one. */
export const description = z.pipe(
  z.string().check(z.refine((text) => text.isWellFormed())),
  z.pipe(
    z.transform((text: string) => text.normalize("NFC")),
    z.string().check(
      z.refine((text) => [...text].length <= MAX_DESCRIPTION_LENGTH),
      z.refine((text) => !UNSTORABLE.test(text)),
    ),
  ),
);

/**
 * What was read. A text that isn't in NFC is refused and not normalised: its rollback would write
 * other bytes than were there, and the canonical form of a contract couldn't tell.
 */
export const storedText = z
  .string()
  .check(z.refine((text) => text.isWellFormed() && text === text.normalize("NFC")));
