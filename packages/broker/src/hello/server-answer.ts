import { CONTENT_TYPE, RECORD_HEADER_BYTES } from "./records.js";

export type AnswerStep = "more" | "retry" | "other";

export interface AnswerReader {
  /** Whether the server's first message asks for a second ClientHello. Keeps no bytes of it. */
  push(bytes: Uint8Array): AnswerStep;
}

/** HandshakeType, RFC 8446 §4: a HelloRetryRequest is a ServerHello with a special random. */
const SERVER_HELLO = 2;

/** RFC 8446 §4.1.3: SHA-256 of "HelloRetryRequest". */
const RETRY_RANDOM = Buffer.from(
  "cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c",
  "hex",
);
/** Type and length, legacy_version. */
const BEFORE_RANDOM = 4 + 2;
const NEEDED = BEFORE_RANDOM + RETRY_RANDOM.length;

/**
 * Looks whether a server answers a ClientHello with a HelloRetryRequest (RFC 8446 §4.1.4). Only
 * then is there a second ClientHello in the clear, and a second chance to name another server.
 */
export const createAnswerReader = (): AnswerReader => {
  const header: number[] = [];
  const message: number[] = [];
  let fragmentLeft = 0;
  return {
    push: (bytes) => {
      for (const byte of bytes) {
        if (fragmentLeft > 0) {
          fragmentLeft -= 1;
          message.push(byte);
          if (message[0] !== SERVER_HELLO) return "other";
          if (message.length === NEEDED) return isRetry(message) ? "retry" : "other";
          continue;
        }
        header.push(byte);
        if (header[0] !== CONTENT_TYPE.HANDSHAKE) return "other";
        if (header.length < RECORD_HEADER_BYTES) continue;
        fragmentLeft = ((header[3] ?? 0) << 8) | (header[4] ?? 0);
        header.length = 0;
        // An empty handshake fragment is against RFC 8446 §5.1, and could come for ever.
        if (fragmentLeft === 0) return "other";
      }
      return "more";
    },
  };
};

const isRetry = (message: readonly number[]): boolean =>
  RETRY_RANDOM.equals(Buffer.from(message.slice(BEFORE_RANDOM)));
