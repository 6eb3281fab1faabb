import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonValue } from "@drydock/evidence";

/** Shorter text may be anywhere by chance. */
const SHORTEST = 6;

/** How many files beneath a directory hold one of these values, as text. */
export const filesWith = (directory: string, values: readonly JsonValue[]): number => {
  const needles = values.flatMap(textsIn).filter((text) => text.length >= SHORTEST);
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)))
    .filter((bytes) => needles.some((needle) => bytes.includes(needle))).length;
};

const textsIn = (value: JsonValue): readonly string[] => {
  if (typeof value === "string") return [value];
  if (value === null || typeof value !== "object") return [];
  return Object.values(value).flatMap(textsIn);
};
