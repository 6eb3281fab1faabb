import { canonicalBytes, digestOf } from "@drydock/evidence";
import type { EgressGrant, EgressPolicy } from "./model.js";
import { POLICY_SCHEMA, type PolicyDocument } from "./schema.js";

/** What a digest is taken of. */
type Parts = Omit<EgressPolicy, "digest">;
type DocumentAuthority = PolicyDocument["authorities"][number];

/**
 * A policy as data, with every default written out and authorities in order of name and port: two
 * files that mean the same give the same document. This is what a manifest embeds.
 */
export const policyDocument = (policy: Parts): PolicyDocument => ({
  schema: POLICY_SCHEMA,
  authorities: policy.grants.map(authorityOf).sort(byNameAndPort),
  resolvers: policy.resolvers.map(({ address, port }) => ({ address, port })),
  limits: { ...policy.limits },
});

/** The RFC 8785 bytes of the document: what is hashed and what a key signs. */
export const policyBytes = (policy: Parts): Buffer => canonicalBytes(policyDocument(policy));

/** @param lineOf where an authority stands, by its index; null for a document without a file. */
export const policyFrom = (
  document: PolicyDocument,
  lineOf: (index: number) => number | null,
): EgressPolicy => {
  const { resolvers, limits } = document;
  const grants = document.authorities.map((item, index) => grantOf(item, lineOf(index)));
  return {
    grants,
    resolvers,
    limits,
    digest: digestOf(policyBytes({ grants, resolvers, limits })),
  };
};

const grantOf = (
  { name, port, protocol, purpose, allowEch, terminate, requests }: DocumentAuthority,
  line: number | null,
): EgressGrant => ({
  authority: { host: name, port },
  protocol,
  purpose,
  allowEch,
  terminate,
  requests,
  line,
});

const authorityOf = (grant: EgressGrant): DocumentAuthority => ({
  name: grant.authority.host,
  port: grant.authority.port,
  protocol: grant.protocol,
  purpose: grant.purpose,
  allowEch: grant.allowEch,
  terminate: grant.terminate,
  requests: grant.requests?.map(({ methods, path }) => ({ methods: [...methods], path })) ?? null,
});

const byNameAndPort = (a: DocumentAuthority, b: DocumentAuthority): number =>
  a.name === b.name ? a.port - b.port : a.name < b.name ? -1 : 1;
