import { digestOf, type SigningKey, signIn, signingKeyFromSeed } from "@drydock/evidence";
import fc from "fast-check";
import { parseAuthority } from "../../authority/parse.js";
import { LIMIT_NAMES, LIMIT_RANGES } from "../limits.js";
import type { EgressLimits } from "../model.js";
import type { PolicyDocument, PolicyInput } from "../schema.js";

/** The smallest policy there is, with a line of its own for each thing that tests change. */
export const YAML = `schema: drydock.egress/v1
authorities:
  - name: api.example.com
    port: 443
    protocol: tls
    purpose: the model
resolvers:
  - address: 192.0.2.53
`;

export const input = (change: Partial<PolicyInput> = {}): PolicyInput => ({
  schema: "drydock.egress/v1",
  authorities: [{ name: "api.example.com", port: 443, protocol: "tls", purpose: "the model" }],
  resolvers: [{ address: "192.0.2.53" }],
  ...change,
});

export const LIMITS: EgressLimits = {
  maxConnections: 8,
  maxHeaderBytes: 4_096,
  headerTimeoutMs: 5_000,
  dnsTimeoutMs: 2_000,
  maxAnswerAgeMs: 10_000,
  connectTimeoutMs: 3_000,
  helloTimeoutMs: 4_000,
  idleTimeoutMs: 60_000,
  lifetimeMs: 600_000,
  maxBytesUp: 1_000_000,
  maxBytesDown: 2_000_000,
};

const label = fc.stringMatching(/^[a-z][a-z0-9]{0,7}(-[a-z0-9]{1,5})?$/);
export const names = fc
  .array(label, { minLength: 2, maxLength: 4 })
  .map((labels) => labels.join("."))
  .filter((name) => parseAuthority(`${name}:1`).kind === "authority");

export const ports = fc.integer({ min: 1, max: 65_535 });

const rules = fc.record({
  methods: fc.subarray(["GET", "HEAD", "POST", "PUT", "DELETE"], { minLength: 1 }),
  path: fc
    .stringMatching(/^(\/[a-z0-9~%2F]{1,6}){0,3}\/[a-z]{0,3}$/)
    .map((path) => path.replace(/%(?!2F)/g, "_")),
});

const authorities = fc
  .record({
    name: names,
    port: ports,
    protocol: fc.constantFrom("tls" as const, "tcp-opaque" as const, "http" as const),
    purpose: fc.stringMatching(/^[A-Za-z0-9][ -~]{0,40}$/),
    flag: fc.boolean(),
    terminate: fc.boolean(),
    requests: fc.option(fc.array(rules, { minLength: 1, maxLength: 3 })),
  })
  .map(({ flag, terminate, requests, ...rest }) => {
    const ends = terminate && rest.protocol === "tls";
    return {
      ...rest,
      allowEch: flag && rest.protocol === "tls",
      terminate: ends,
      requests: ends || rest.protocol === "http" ? requests : null,
    };
  });

const resolvers = fc.record({
  address: fc.oneof(
    fc.ipV4(),
    fc.constantFrom("2001:db8::53", "::1", "fe80::1", "2606:4700:4700::1111"),
  ),
  port: ports,
});

const limits = fc.record(
  Object.fromEntries(
    LIMIT_NAMES.map((name) => {
      const { min, max } = LIMIT_RANGES[name];
      return [name, fc.integer({ min, max: Math.min(max, 2 ** 31 - 1) })];
    }),
  ),
) as unknown as fc.Arbitrary<EgressLimits>;

/** Documents with everything written out, as a manifest would hold them. */
export const documents: fc.Arbitrary<PolicyDocument> = fc.record({
  schema: fc.constant("drydock.egress/v1" as const),
  authorities: fc.uniqueArray(authorities, {
    minLength: 1,
    maxLength: 6,
    selector: ({ name, port }) => `${name}:${port}`,
  }),
  resolvers: fc.uniqueArray(resolvers, {
    minLength: 1,
    maxLength: 3,
    selector: ({ address, port }) => `${address} ${port}`,
  }),
  limits,
});

export const keyOf = (fill: number): SigningKey => signingKeyFromSeed(Buffer.alloc(32, fill));

/** What `drydock sign --namespace policy` prints. */
export const signatureOver = (
  bytes: Uint8Array,
  key: SigningKey,
  change: Readonly<Record<string, unknown>> = {},
): Buffer =>
  Buffer.from(
    JSON.stringify({
      namespace: "policy",
      keyId: key.public.keyId,
      digest: digestOf(bytes),
      value: signIn("policy", bytes, key).toString("base64"),
      ...change,
    }),
  );
