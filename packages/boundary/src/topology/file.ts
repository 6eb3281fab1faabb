import { readUserFile } from "@drydock/document";
import * as z from "zod/mini";
import english from "zod/v4/locales/en.js";
import {
  formatCidr,
  formatIpv4,
  type ObservedTopology,
  parseCidr,
  parseIpv4,
} from "../model/index.js";

// The small build of zod has no messages unless it is given some.
z.config(english());

export const TOPOLOGY_SCHEMA = "drydock.topology/v1";

/** A program wrote it: 1,000 containers with a dozen labels each. */
const MAX_BYTES = 8 * 1024 * 1024;

const text = z.string().check(z.maxLength(4_096));
const labels = z.record(text, text);
const ipv4 = z.nullable(
  text.check(z.refine((value) => parseIpv4(value) !== null, "is no IPv4 address")),
);

const schema = z.strictObject({
  schema: z.literal(TOPOLOGY_SCHEMA),
  bootId: text,
  daemonId: text,
  networks: z.array(
    z.strictObject({
      id: text,
      name: text,
      driver: text,
      bridge: z.nullable(text),
      ipv4: z.nullable(
        text.check(z.refine((value) => parseCidr(value) !== null, "is no block of addresses")),
      ),
      gateway: ipv4,
      hasIpv6: z.boolean(),
      labels,
    }),
  ),
  containers: z.array(
    z.strictObject({
      id: text,
      name: text,
      labels,
      image: text,
      running: z.boolean(),
      endpoints: z.array(
        z.strictObject({
          network: text,
          ipv4,
          hasIpv6: z.boolean(),
          mac: z.nullable(text),
          port: z.nullable(text),
        }),
      ),
      publications: z.array(
        z.strictObject({
          address: text,
          port: z.int().check(z.minimum(1), z.maximum(65_535)),
          protocol: z.enum(["tcp", "udp"]),
          target: z.int().check(z.minimum(1), z.maximum(65_535)),
        }),
      ),
    }),
  ),
});

/**
 * Reads `drydock.topology/v1`, which is what was observed, written down.
 *
 * @param file as the user named it, for messages.
 * @throws DrydockError FILE_…
 */
export const parseTopology = (
  bytes: Uint8Array,
  { file }: { readonly file: string },
): ObservedTopology => {
  const { value } = readUserFile(bytes, schema, file, { maxJsonBytes: MAX_BYTES });
  const addressOf = (written: string | null) => (written === null ? null : parseIpv4(written));
  return {
    bootId: value.bootId,
    daemonId: value.daemonId,
    networks: value.networks.map((network) => ({
      ...network,
      ipv4: network.ipv4 === null ? null : parseCidr(network.ipv4),
      gateway: addressOf(network.gateway),
    })),
    containers: value.containers.map((container) => ({
      ...container,
      endpoints: container.endpoints.map((endpoint) => ({
        ...endpoint,
        ipv4: addressOf(endpoint.ipv4),
      })),
    })),
  };
};

/** The reverse, as one JSON object. */
export const topologyJson = (topology: ObservedTopology): z.input<typeof schema> => ({
  schema: TOPOLOGY_SCHEMA,
  bootId: topology.bootId,
  daemonId: topology.daemonId,
  networks: topology.networks.map((network) => ({
    ...network,
    labels: { ...network.labels },
    ipv4: network.ipv4 === null ? null : formatCidr(network.ipv4),
    gateway: network.gateway === null ? null : formatIpv4(network.gateway),
  })),
  containers: topology.containers.map((container) => ({
    ...container,
    labels: { ...container.labels },
    endpoints: container.endpoints.map((endpoint) => ({
      ...endpoint,
      ipv4: endpoint.ipv4 === null ? null : formatIpv4(endpoint.ipv4),
    })),
    publications: container.publications.map((publication) => ({ ...publication })),
  })),
});
