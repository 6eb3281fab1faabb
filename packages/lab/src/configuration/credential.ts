import { DrydockError } from "@drydock/evidence";
import { readOwnerOnly } from "./owner-only.js";

const MAX_KEY_CHARACTERS = 4096;
const PRINTABLE = /^[\x21-\x7e]+$/;

/** A lab's API key: what prints, logs or serialises it gets a word instead. */
export class LabCredential {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** For the one header that it belongs into. */
  reveal(): string {
    return this.#value;
  }

  toJSON(): string {
    return "[credential]";
  }

  toString(): string {
    return "[credential]";
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return "[credential]";
  }
}

/**
 * The first line of an owner-only file.
 *
 * @throws DrydockError LAB_FILE, LAB_CREDENTIAL
 */
export const readCredential = (path: string): LabCredential => {
  const [line = ""] = readOwnerOnly(path, "API key").toString("latin1").split(/\r?\n/, 1);
  if (line.length > MAX_KEY_CHARACTERS || !PRINTABLE.test(line))
    throw new DrydockError(
      "LAB_CREDENTIAL",
      `the first line of the API key file is not 1 to ${MAX_KEY_CHARACTERS} printable ASCII characters`,
      { fix: "Put the key, and nothing else, into the first line." },
    );
  return new LabCredential(line);
};
