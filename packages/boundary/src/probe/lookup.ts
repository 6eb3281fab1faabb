import { Resolver } from "node:dns/promises";
import type { Answer, Ask } from "./protocol.js";

/** A datagram may be lost on a busy machine. */
const TRIES = 2;

const MAX_ADDRESSES = 64;

/** Over UDP, and TCP where an answer doesn't fit. `reached` when the server answered anything at all. */
export const lookup = async ({
  at,
  name,
  timeoutMs,
}: Extract<Ask, { readonly ask: "lookup" }>): Promise<Answer> => {
  const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / TRIES), tries: TRIES });
  resolver.setServers([`${at.host}:${at.port}`]);
  try {
    const addresses = await resolver.resolve4(name);
    return { outcome: "reached", said: addresses.slice(0, MAX_ADDRESSES) };
  } catch (error) {
    return { outcome: outcomeOf((error as NodeJS.ErrnoException).code), said: [] };
  }
};

/** c-ares's words. What isn't one of an answer's shows nothing. */
const outcomeOf = (code: string | undefined): Answer["outcome"] => {
  switch (code) {
    case "ENODATA":
    case "EFORMERR":
    case "ESERVFAIL":
    case "ENOTFOUND":
    case "ENOTIMP":
    case "EREFUSED":
    case "EBADRESP":
      return "reached";
    // Somebody says that nobody listens there.
    case "ECONNREFUSED":
      return "refused";
    case "ETIMEOUT":
      return "silent";
    default:
      return "unsendable";
  }
};
