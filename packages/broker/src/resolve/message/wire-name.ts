import { MAX_LABEL_BYTES, MAX_NAME_BYTES } from "./format.js";

/**
 * A name as RFC 1035 §3.1 sends it, uncompressed: length bytes, labels and the root's zero, one
 * character a byte. So any byte is told from any other, and a dot inside a label from a separator.
 */
export type WireName = string;

const LDH_LABEL = /^[a-z0-9-]+$/;

/**
 * A canonical host as a wire name; null for what isn't one. A single label is none: it would be
 * for a search list to complete.
 */
export const encodeName = (host: string): WireName | null => {
  const labels = host.split(".");
  if (labels.length < 2) return null;
  const valid = labels.every((label) => LDH_LABEL.test(label) && label.length <= MAX_LABEL_BYTES);
  if (!valid) return null;
  const name = `${labels.map((label) => String.fromCharCode(label.length) + label).join("")}\0`;
  return name.length <= MAX_NAME_BYTES ? name : null;
};

/**
 * RFC 4343: names are equal but for the case of ASCII letters. Length bytes are at most 63 and so
 * never in the range of a letter.
 */
export const foldCase = (name: WireName): WireName =>
  name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** Whether `name` lies below `ancestor`, both folded. */
export const isBelow = (name: WireName, ancestor: WireName): boolean => {
  for (let at = 0; name.charCodeAt(at) !== 0; ) {
    at += 1 + name.charCodeAt(at);
    if (name.slice(at) === ancestor) return true;
  }
  return false;
};
