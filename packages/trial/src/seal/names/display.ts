const DISPLAY_CHARACTERS = 200;

/**
 * A name or message from outside as text that is safe on a terminal and in a log: anything but
 * printable ASCII is escaped, and the length is capped.
 */
export const display = (value: string | Uint8Array): string => {
  const text = typeof value === "string" ? value : Buffer.from(value).toString("latin1");
  const shown = text
    .slice(0, DISPLAY_CHARACTERS)
    .replace(/[^\x20-\x7e]|\\/g, (character) =>
      character === "\\"
        ? "\\\\"
        : `\\u{${(character.codePointAt(0) ?? 0).toString(16).padStart(2, "0")}}`,
    );
  return text.length > DISPLAY_CHARACTERS ? `${shown}…` : shown;
};
