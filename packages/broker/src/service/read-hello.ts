import type { Duplex } from "node:stream";
import type { Reason } from "../decision/index.js";
import { bindHello, type ClientHello, createHelloReader, HELLO_LIMITS } from "../hello/index.js";
import type { EgressGrant } from "../policy/index.js";
import { type ReadFromOptions, readFrom } from "./read-from.js";

export type BoundHello =
  | {
      readonly kind: "hello";
      readonly hello: ClientHello;
      readonly raw: Uint8Array;
      readonly rest: Uint8Array;
    }
  | { readonly kind: "refused"; readonly reason: Reason };

/**
 * The first bytes of a client, which have to be a ClientHello that names the granted authority.
 *
 * @param first what came before with the request.
 */
export const readHello = async (
  client: Duplex,
  grant: EgressGrant,
  first: Uint8Array,
  options: ReadFromOptions,
): Promise<BoundHello> => {
  const reader = createHelloReader(HELLO_LIMITS);
  const read = await readFrom(client, (bytes) => reader.push(bytes), first, options);
  switch (read.kind) {
    case "timeout":
      return { kind: "refused", reason: "HELLO_TIMEOUT" };
    case "ended":
      return { kind: "refused", reason: read.some ? "HELLO_MALFORMED" : "CLIENT_RESET" };
    case "aborted": {
      const reason = options.signal.reason === "HALTED" ? "REVOKED" : "CLIENT_RESET";
      return { kind: "refused", reason };
    }
    case "read": {
      if (read.step.kind === "refused") return read.step;
      const binding = bindHello(read.step.hello, grant.authority, grant);
      return binding.kind === "refused" ? binding : read.step;
    }
  }
};
