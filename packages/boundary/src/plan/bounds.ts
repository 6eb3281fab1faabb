import { type Cidr, parseCidr } from "../model/index.js";

/** Bridges of one engine; the exhaustive check is quadratic in them. */
export const MAX_NETWORKS = 64;

/** More containers than one machine runs. */
export const MAX_NODES = 512;

/** What a person can still review with a tool's help, and what nft replaces in about a second. */
export const MAX_RULES = 5_000;

/** Interfaces of one container. */
export const MAX_LINKS = 16;

export const MAX_PORTS = 128;

export const MAX_COMMAND_ARGUMENTS = 64;
export const MAX_ARGUMENT_LENGTH = 4_096;

/** 5,000 rules with names, endpoints and ports are some 800 KB. Only JSON: YAML's reader is slow. */
export const MAX_PLAN_BYTES = 4 * 1024 * 1024;

/** A network has an address of its own, a broadcast address, a gateway and room for a machine. */
export const MAX_PREFIX = 30;

/** Larger blocks than any registry gave to anybody. */
export const MIN_PREFIX = 8;

/**
 * What a container network can't be numbered from, by RFC 6890 and RFC 5771: the host's own
 * addresses, link-local (where clouds keep credentials), multicast and reserved.
 */
export const UNUSABLE_BLOCKS: readonly Cidr[] = [
  "0.0.0.0/8",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "224.0.0.0/4",
  "240.0.0.0/4",
].flatMap((text) => parseCidr(text) ?? []);
