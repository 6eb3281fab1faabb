import type { PlanAddress } from "../model/index.js";

/** Also a container's and a host's name; with its prefix and a rule's name it fits in a rule's comment. */
export const NAME_PATTERN = /^[a-z0-9][a-z0-9_-]{0,47}$/;

/** nft allows 128 bytes for a comment, which is `<owner>/<name>/<direction>`. */
export const RULE_NAME_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,47}$/;

/** Pinned: a name alone is whatever it was last given to. */
export const IMAGE_PATTERN = /^[a-z0-9]+(?:[._:/-]+[a-zA-Z0-9]+)*@sha256:[0-9a-f]{64}$/;

export const networkAddress = (name: string): PlanAddress => `provision.network.${name}`;

export const nodeAddress = (name: string): PlanAddress => `provision.node.${name}`;
