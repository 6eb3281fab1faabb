import type { Server } from "node:tls";
import { type Authority, formatAuthority } from "../authority/authority.js";

/** One protocol's server of one tunnel. It listens nowhere: it is given the one connection. */
export interface Served {
  readonly server: Server;
  /** No request is unanswered: a client that leaves now is done. */
  isIdle(): boolean;
  /** Bytes of the client arrived. */
  heard(): void;
  close(): void;
}

/** RFC 9110 §4.2.2 and §7.2: without the port where it is the default. */
export const authorityText = (authority: Authority): string =>
  authority.port === 443 ? authority.host : formatAuthority(authority);
