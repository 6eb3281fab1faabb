import { DrydockError, quote } from "@drydock/evidence";
import { formatAuthority } from "../authority/authority.js";
import { parseAuthority } from "../authority/parse.js";
import { REASONS } from "../decision/index.js";
import { policyDocument } from "./document.js";
import type { EgressGrant, EgressPolicy, EgressProtocol, ResolverAddress } from "./model.js";
import { policyFromDocument } from "./parse.js";
import { DEFAULT_LIMITS } from "./schema.js";

const PROTOCOLS: readonly EgressProtocol[] = ["tls", "tcp-opaque", "http"];

/**
 * An unsigned policy with the default limits from what a command line allows: `host:port` for TLS,
 * or `host:port=PROTOCOL`.
 *
 * @throws DrydockError ALLOW_INVALID, POLICY_INVALID
 */
export const policyFromAllow = (
  allow: readonly string[],
  resolvers: readonly ResolverAddress[],
): EgressPolicy => {
  const grants = allow.map(grantOf);
  const names = grants.map(({ authority }) => formatAuthority(authority));
  const repeated = names.find((name, index) => names.indexOf(name) < index);
  if (repeated !== undefined) return refuse(repeated, "is allowed twice");
  // Through the parser, so that counts, resolvers and all else are held to what a file may say.
  return policyFromDocument(policyDocument({ grants, resolvers, limits: DEFAULT_LIMITS }));
};

const grantOf = (text: string): EgressGrant => {
  const [, name = text, given = "tls"] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  const protocol = PROTOCOLS.find((known) => known === given);
  if (protocol === undefined) return refuse(text, `has no protocol of ${PROTOCOLS.join(", ")}`);
  const parsed = parseAuthority(name);
  if (parsed.kind === "refused")
    return refuse(text, `is ${parsed.reason}: ${REASONS[parsed.reason].doc}`);
  return {
    authority: parsed.authority,
    protocol,
    purpose: "allowed on the command line",
    allowEch: false,
    terminate: false,
    requests: null,
    line: null,
  };
};

const refuse = (text: string, what: string): never => {
  throw new DrydockError("ALLOW_INVALID", `--allow ${quote(text)} ${what}`, {
    fix: "Write each exact DNS name with its port once: --allow api.example.com:443, or :80=http.",
  });
};
