import { createHash } from "node:crypto";
import { DrydockError } from "../errors.js";
import type { PublicKey, SigningKey } from "../keys/key.js";
import { signBytes } from "../keys/sign.js";
import { isSignatureValid } from "../keys/verify-signature.js";

/** C2SP signed-note signature types. */
const ED25519 = 0x01;
const ED25519_COSIGNATURE = 0x04;
const MAX_SIGNATURES = 16;

export interface NoteSignature {
  readonly name: string;
  /** First four bytes of SHA-256(name ‖ LF ‖ type ‖ key): a hint, never an identity. */
  readonly hint: Buffer;
  readonly bytes: Buffer;
}

/** A C2SP signed note: text that ends in LF, an empty line, and one line a signature. */
export interface Note {
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

const hintOf = (name: string, type: number, key: PublicKey): Buffer =>
  createHash("sha256")
    .update(`${name}\n`)
    .update(Buffer.from([type]))
    .update(key.raw)
    .digest()
    .subarray(0, 4);

const signatureLine = (name: string, hint: Buffer, signature: Buffer): string =>
  `— ${name} ${Buffer.concat([hint, signature]).toString("base64")}\n`;

/** @param text must end in LF; its first line is the origin, which separates signing domains. */
export const signNote = (text: string, name: string, key: SigningKey): string => {
  const signature = signBytes(Buffer.from(text, "utf8"), key);
  return `${text}\n${signatureLine(name, hintOf(name, ED25519, key.public), signature)}`;
};

/** Whether some line of the note is `key`'s signature under `name`. */
export const isNoteSignedBy = (note: Note, name: string, key: PublicKey): boolean => {
  const hint = hintOf(name, ED25519, key);
  const message = Buffer.from(note.text, "utf8");
  return note.signatures.some(
    (line) =>
      line.name === name && line.hint.equals(hint) && isSignatureValid(message, line.bytes, key),
  );
};

const cosignedMessage = (text: string, seconds: number): Buffer =>
  Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`, "utf8");

/** C2SP tlog-cosignature: a witness says that it saw this checkpoint extend what it saw before. */
export const cosignNote = (
  signed: string,
  name: string,
  key: SigningKey,
  unixSeconds: number,
): string => {
  const time = Buffer.alloc(8);
  time.writeBigUInt64BE(BigInt(unixSeconds));
  const signature = signBytes(cosignedMessage(parseNote(signed).text, unixSeconds), key);
  const hint = hintOf(name, ED25519_COSIGNATURE, key.public);
  return signed + signatureLine(name, hint, Buffer.concat([time, signature]));
};

/** Unix seconds of `key`'s cosignature, whatever name it goes by; null when there is none. */
export const cosignedAt = (note: Note, key: PublicKey): number | null => {
  for (const line of note.signatures) {
    if (
      line.bytes.length !== 72 ||
      !line.hint.equals(hintOf(line.name, ED25519_COSIGNATURE, key))
    ) {
      continue;
    }
    const seconds = Number(line.bytes.readBigUInt64BE(0));
    if (
      Number.isSafeInteger(seconds) &&
      isSignatureValid(cosignedMessage(note.text, seconds), line.bytes.subarray(8), key)
    ) {
      return seconds;
    }
  }
  return null;
};

/** @throws DrydockError NOTE_FORMAT */
export const parseNote = (signed: string): Note => {
  const split = signed.lastIndexOf("\n\n");
  if (split < 0 || !signed.endsWith("\n")) throw malformed("no empty line before the signatures");
  const text = signed.slice(0, split + 1);
  const lines = signed.slice(split + 2, -1).split("\n");
  if (lines.length > MAX_SIGNATURES) throw malformed(`more than ${MAX_SIGNATURES} signatures`);
  return { text, signatures: lines.map(parseSignature) };
};

const parseSignature = (line: string): NoteSignature => {
  const match = /^— ([^\s+]{1,512}) ([A-Za-z0-9+/]{8,200}={0,2})$/.exec(line);
  const bytes = Buffer.from(match?.[2] ?? "", "base64");
  // Equal after a round trip: node's decoder also takes spellings that aren't standard base64.
  if (match?.[1] === undefined || bytes.toString("base64") !== match[2]) {
    throw malformed("a signature line isn't `— name base64`");
  }
  return { name: match[1], hint: bytes.subarray(0, 4), bytes: bytes.subarray(4) };
};

const malformed = (what: string): DrydockError =>
  new DrydockError("NOTE_FORMAT", `not a C2SP signed note: ${what}`);
