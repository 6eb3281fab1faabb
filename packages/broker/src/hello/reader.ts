import { parseClientHello } from "./client-hello.js";
import type { HelloLimits, HelloReader } from "./hello.js";
import { CONTENT_TYPE, MessageReader } from "./records.js";

/** HandshakeType, RFC 8446 §4 */
const CLIENT_HELLO = 1;

/** Reads the first bytes of a connection, which have to be a ClientHello and nothing before it. */
export const createHelloReader = (limits: HelloLimits): HelloReader => helloReader(limits, []);

/**
 * Reads the ClientHello that answers a HelloRetryRequest. Before it may stand the
 * change_cipher_spec of RFC 8446 appendix D.4, and the early data that the retry has voided.
 */
export const createSecondHelloReader = (limits: HelloLimits, earlyData: boolean): HelloReader =>
  helloReader(limits, [
    CONTENT_TYPE.CHANGE_CIPHER_SPEC,
    ...(earlyData ? [CONTENT_TYPE.APPLICATION_DATA] : []),
  ]);

const helloReader = (limits: HelloLimits, before: readonly number[]): HelloReader => {
  const reader = new MessageReader({ ...limits, messageType: CLIENT_HELLO, before });
  return {
    push: (bytes) => {
      const step = reader.push(bytes);
      if (step.kind !== "message") return step;
      const parsed = parseClientHello(step.body);
      return parsed.kind === "refused" ? parsed : { ...parsed, raw: step.raw, rest: step.rest };
    },
  };
};
