import type { Authority } from "../authority/authority.js";
import { parseAuthority } from "../authority/parse.js";
import type { Reason } from "../decision/index.js";
import type { ClientHello } from "./hello.js";

export type Binding =
  | { readonly kind: "bound" }
  | { readonly kind: "refused"; readonly reason: Reason };

/**
 * Whether a ClientHello asks for the server that was granted, read by the one canonicaliser. Guard:
 * without it a tunnel to one name of a shared front end is a tunnel to all of them.
 *
 * RFC 6066 §3 wants the name without its final dot. With it some servers choose another site and
 * some none, so it isn't the granted name.
 */
export const bindHello = (
  hello: ClientHello,
  authority: Authority,
  { allowEch }: { readonly allowEch: boolean },
): Binding => {
  const { serverName, ech } = hello;
  if (ech && !allowEch) return refused("ECH");
  if (serverName === null) return refused("SNI_ABSENT");
  const read = parseAuthority(`${serverName}:${authority.port}`);
  const same =
    !serverName.endsWith(".") &&
    read.kind === "authority" &&
    read.authority.host === authority.host &&
    read.authority.port === authority.port;
  return same ? { kind: "bound" } : refused("SNI_DIFFERENT");
};

const refused = (reason: Reason): Binding => ({ kind: "refused", reason });
