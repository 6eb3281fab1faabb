import { readFileSync } from "node:fs";
import { type Link, parseLinks } from "../engine/index.js";
import type { Ruleset } from "../model/index.js";
import type { ChangeableNamespace } from "../nft/index.js";
import { PreparedRules } from "../nft/prepared.js";
import { ResidentSettings } from "../nft/resident-settings.js";
import { readSettingsFrom } from "../nft/settings.js";
import type { Difference } from "../readback/index.js";
import type { KernelBackend } from "../realise/index.js";
import { createKernelBackend } from "./backend.js";

/** A kernel that is asked often, and told in an instant. */
export interface ResidentKernel extends KernelBackend, Disposable {
  /** Writes down what `lay` will load. */
  prepare(rulesets: readonly Ruleset[]): void;
  /** What is prepared, in the place of whatever has its tables' names; what differs afterwards. */
  lay(): Promise<readonly Difference[]>;
  /** Lays it where it isn't laid. */
  keep(): Promise<readonly Difference[]>;
  /** Whether a container has an IPv6 address that frames could bear. */
  hasIpv6(pid: number): boolean;
}

/** The same backend, whose questions are answered by programs that stay in the namespace. */
export const openResidentKernel = (namespace: ChangeableNamespace): ResidentKernel => {
  const rules = new PreparedRules(namespace);
  const settings = new ResidentSettings(namespace);
  return {
    ...createKernelBackend(namespace),
    listing: () => rules.listing(),
    settings: (names) => readSettingsFrom(settings, names),
    links: async (): Promise<readonly Link[]> => parseLinks(await settings.addresses()),
    prepare: (rulesets) => rules.prepare(rulesets),
    lay: () => rules.load(),
    keep: () => rules.keep(),
    hasIpv6: (pid) => inet6Of(pid).some(isGlobal),
    [Symbol.dispose]: () => {
      rules[Symbol.dispose]();
      settings[Symbol.dispose]();
    },
  };
};

const inet6Of = (pid: number): readonly string[] => {
  try {
    return readFileSync(`/proc/${pid}/net/if_inet6`, "latin1").split("\n");
  } catch {
    // ENOENT or ESRCH: it ended, or its kernel has no IPv6. Neither has an address.
    return [];
  }
};

/**
 * Of address, index, prefix, scope, flags and name. Every interface of a kernel with IPv6 has an
 * address of its link, the loopback one of its host, and no frame of theirs passes.
 */
const isGlobal = (line: string): boolean => {
  const [, , , scope = ""] = line.trim().split(/\s+/);
  return scope !== "" && scope !== LINK && scope !== HOST;
};
/** IPV6_ADDR_LINKLOCAL and IPV6_ADDR_LOOPBACK, as /proc prints them. */
const LINK = "20";
const HOST = "10";
