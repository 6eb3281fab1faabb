const SHOWN_CHARACTERS = 60;

/**
 * Untrusted text for a message: ASCII only, so that no control, bidirectional or escape sequence
 * from a guest reaches a terminal, and short, so that it can't drown the message.
 */
export const quote = (text: string): string => {
  const shown = text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
  return JSON.stringify(shown).replace(
    /[^\x20-\x7e…]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
};
