import type { Authority } from "../authority/authority.js";
import {
  bindHello,
  type ClientHello,
  createAnswerReader,
  createSecondHelloReader,
  HELLO_LIMITS,
  type HelloReader,
} from "../hello/index.js";
import type { Gate, GateStep } from "./model.js";

export interface AnswerGateOptions {
  readonly authority: Authority;
  readonly allowEch: boolean;
  /** Bound to the authority. */
  readonly hello: ClientHello;
  /** Its bytes, and those that came behind it. */
  readonly raw: Uint8Array;
  readonly rest: Uint8Array;
}

const NONE: readonly Uint8Array[] = [];

/**
 * Forwards a bound ClientHello, and holds the client until the server has answered it: if the
 * answer is a HelloRetryRequest, a second ClientHello follows in the clear, which servers read like
 * the first and which has to name the same server. After any other answer everything passes.
 */
export const createAnswerGate = (options: AnswerGateOptions): Gate => {
  const { authority, allowEch, hello, raw, rest } = options;
  const answer = createAnswerReader();
  let second: HelloReader | null = null;

  const readSecond = (reader: HelloReader, bytes: Uint8Array): GateStep => {
    const step = reader.push(bytes);
    switch (step.kind) {
      case "more":
        return { kind: "pass", toUpstream: NONE, toClient: NONE, read: "both" };
      case "refused":
        return step;
      case "hello": {
        const binding = bindHello(step.hello, authority, { allowEch });
        return binding.kind === "refused"
          ? binding
          : { kind: "open", toUpstream: [step.raw, step.rest], toClient: NONE };
      }
    }
  };

  return {
    start: () => ({ kind: "pass", toUpstream: [raw], toClient: NONE, read: "upstream" }),
    fromClient: (bytes) =>
      second === null ? { kind: "refused", reason: "HELLO_MALFORMED" } : readSecond(second, bytes),
    fromUpstream: (bytes) => {
      const toClient = [bytes];
      if (second !== null) return { kind: "pass", toUpstream: NONE, toClient, read: "both" };
      const step = answer.push(bytes);
      switch (step) {
        case "more":
          return { kind: "pass", toUpstream: NONE, toClient, read: "upstream" };
        case "other":
          return { kind: "open", toUpstream: [rest], toClient };
        case "retry": {
          second = createSecondHelloReader(HELLO_LIMITS, hello.earlyData);
          const next = readSecond(second, rest);
          return next.kind === "pass" || next.kind === "open" ? { ...next, toClient } : next;
        }
      }
    },
    ended: () => null,
  };
};
