/**
 * Text from a guest may carry sequences that make a terminal lie, paste into the clipboard or answer
 * on the user's behalf (ECMA-48 control strings, device queries). A pipe or a file gets the bytes as
 * they are; a terminal gets them through one of these filters.
 */

const ESC = 0x1b;
const BEL = 0x07;
const DEL = 0x7f;
const REPLACEMENT = 0x3f;

/** Longer than any colour or cursor sequence in use; a longer one is dropped, not buffered. */
const MAX_CSI_BYTES = 64;

/** ECMA-48 final bytes that only move the cursor, erase, scroll or colour. */
const HARMLESS_CSI_FINALS = new Set(
  [..."ABCDEFGHJKLMPSTXZ@`adefhlmrsu"].map((c) => c.charCodeAt(0)),
);

type State =
  | { readonly kind: "text" }
  | { readonly kind: "escape" }
  | { readonly kind: "csi"; readonly bytes: readonly number[]; readonly overlong: boolean }
  | { readonly kind: "string"; readonly escaped: boolean };

/**
 * `plain` keeps line breaks and tabs and nothing else that controls a terminal. `interactive` (for
 * `drydock shell`) also keeps colours, cursor movement and erasing, and still drops operating-system
 * commands (clipboard, title), device control strings and everything that makes a terminal answer.
 */
export type SanitiseMode = "plain" | "interactive";

/** Returns a filter that may be fed chunk by chunk: sequences split over chunks are recognised. */
export const createSanitiser = (mode: SanitiseMode): ((chunk: Uint8Array) => Uint8Array) => {
  let state: State = { kind: "text" };
  let c1Lead = false;

  return (chunk) => {
    const out: number[] = [];
    for (const byte of chunk) {
      switch (state.kind) {
        case "text":
          if (byte === ESC) {
            state = { kind: "escape" };
          } else if (c1Lead && byte >= 0x80 && byte <= 0x9f) {
            // U+0080 to U+009F in UTF-8: the eight-bit forms of the same controls.
            out.push(REPLACEMENT);
          } else if (byte === 0xc2) {
            c1Lead = true;
            continue;
          } else {
            if (c1Lead) out.push(0xc2);
            if (isAllowedText(byte, mode)) out.push(byte);
          }
          c1Lead = false;
          break;
        case "escape":
          if (byte === 0x5b) state = { kind: "csi", bytes: [], overlong: false };
          else if (
            byte === 0x5d ||
            byte === 0x50 ||
            byte === 0x58 ||
            byte === 0x5e ||
            byte === 0x5f
          )
            state = { kind: "string", escaped: false };
          else {
            if (mode === "interactive" && (byte === 0x37 || byte === 0x38 || byte === 0x4d))
              out.push(ESC, byte);
            state = byte === ESC ? { kind: "escape" } : { kind: "text" };
          }
          break;
        case "csi":
          if (byte >= 0x40 && byte <= 0x7e) {
            const query = state.bytes.some((b) => b === 0x3e || b === 0x3c || b === 0x3d);
            if (
              mode === "interactive" &&
              !state.overlong &&
              !query &&
              HARMLESS_CSI_FINALS.has(byte)
            )
              out.push(ESC, 0x5b, ...state.bytes, byte);
            state = { kind: "text" };
          } else if (byte === ESC) {
            state = { kind: "escape" };
          } else if (byte < 0x20 || byte > 0x3f) {
            state = { kind: "text" };
          } else if (state.bytes.length >= MAX_CSI_BYTES) {
            state = { ...state, overlong: true };
          } else {
            state = { ...state, bytes: [...state.bytes, byte] };
          }
          break;
        case "string":
          // A control string ends with BEL or ST (ESC \); nothing of it reaches the terminal.
          if (byte === BEL || (state.escaped && byte === 0x5c)) state = { kind: "text" };
          else state = { kind: "string", escaped: byte === ESC };
          break;
      }
    }
    return Uint8Array.from(out);
  };
};

const isAllowedText = (byte: number, mode: SanitiseMode): boolean => {
  if (byte === 0x0a || byte === 0x09) return true;
  if (byte === 0x0d) return true;
  if (mode === "interactive" && (byte === 0x08 || byte === BEL)) return true;
  return byte >= 0x20 && byte !== DEL;
};

/** One line of text for a message: every control character, C1 and bidi override made visible. */
export const visible = (text: string, maxLength = 400): string => {
  const shown = text.replace(
    /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return shown.length > maxLength ? `${shown.slice(0, maxLength)}…` : shown;
};
