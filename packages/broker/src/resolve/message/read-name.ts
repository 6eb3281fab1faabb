import { HEADER_BYTES, MAX_NAME_BYTES } from "./format.js";
import type { WireName } from "./wire-name.js";

/**
 * Guard: the name at `start`, and where the bytes after it begin. Null for a name that runs past
 * the message or past 255 bytes, for a label type other than RFC 1035's two, and for a pointer
 * that doesn't go back: to a place before every byte of this name so far, header excepted. Each
 * jump so lowers the bound for the next, and a loop can't be written.
 */
export const readName = (
  message: Uint8Array,
  start: number,
): { readonly name: WireName; readonly next: number } | null => {
  const name = new Uint8Array(MAX_NAME_BYTES);
  let length = 0;
  let next: number | null = null;
  let segment = start;
  for (let at = start; ; ) {
    const head = message[at];
    if (head === undefined) return null;
    switch (head & 0xc0) {
      case 0x00: {
        const end = at + 1 + head;
        if (end > message.length || length + 1 + head > MAX_NAME_BYTES) return null;
        while (at < end) name[length++] = message[at++] ?? 0;
        if (head > 0) break;
        return { name: String.fromCharCode(...name.subarray(0, length)), next: next ?? end };
      }
      case 0xc0: {
        const low = message[at + 1];
        if (low === undefined) return null;
        const target = ((head & 0x3f) << 8) | low;
        if (target < HEADER_BYTES || target >= segment) return null;
        next ??= at + 2;
        segment = target;
        at = target;
        break;
      }
      default:
        return null;
    }
  }
};
