import type { Authority } from "../authority/authority.js";
import type { Reason } from "../decision/index.js";
import type { EgressGrant, EgressPolicy, EgressProtocol } from "./model.js";

/** How a client asks: CONNECT's authority-form, or a method with an absolute-form target (RFC 9112 §3.2). */
export type RequestForm = "connect" | "absolute";

export type Decision =
  | { readonly kind: "granted"; readonly grant: EgressGrant }
  /** `line` is where the policy speaks of the name, if it does. */
  | { readonly kind: "refused"; readonly reason: Reason; readonly line: number | null };

const FORMS: Readonly<Record<EgressProtocol, RequestForm>> = {
  tls: "connect",
  "tcp-opaque": "connect",
  http: "absolute",
};

/** The one form in which an authority of this protocol may be asked for. */
export const requestForm = (protocol: EgressProtocol): RequestForm => FORMS[protocol];

/**
 * Exact membership, and nothing else: no suffix, no pattern, no default port. Refusals come in one
 * order, name, then port, then protocol, so that everybody who asks gets the same reason.
 */
export const decide = (
  policy: Pick<EgressPolicy, "grants">,
  { host, port }: Authority,
  form: RequestForm,
): Decision => {
  const named = policy.grants.filter(({ authority }) => authority.host === host);
  const [first] = named;
  if (first === undefined) return refused("AUTHORITY_NOT_GRANTED", null);
  const grant = named.find(({ authority }) => authority.port === port);
  if (grant === undefined) return refused("PORT_NOT_GRANTED", first.line);
  if (requestForm(grant.protocol) !== form) return refused("PROTOCOL_NOT_GRANTED", grant.line);
  return { kind: "granted", grant };
};

const refused = (reason: Reason, line: number | null): Decision => ({
  kind: "refused",
  reason,
  line,
});
