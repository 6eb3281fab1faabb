import * as z from "zod/mini";
import { type Ipv4, parseIpv4 } from "../../model/index.js";
import { parseIpAnswer } from "./ip-answer.js";

/** One interface, as `ip -json address` shows it. */
export interface Link {
  readonly index: number;
  readonly name: string;
  readonly mac: string;
  /** Frames go through it: it's up, and isn't the loopback one. */
  readonly carries: boolean;
  /** Index of the other end of a pair, in the namespace where that is. */
  readonly peer: number | null;
  /** Name of the bridge that it is a port of. */
  readonly bridge: string | null;
  readonly ipv4: readonly Ipv4[];
  readonly hasIpv6: boolean;
}

/** More than a machine with a thousand containers has. */
const MAX_LINKS = 8_192;

const answer = z
  .array(
    z.object({
      ifindex: z.int(),
      ifname: z.string(),
      flags: z.array(z.string()),
      address: z.optional(z.string()),
      link_index: z.optional(z.int()),
      master: z.optional(z.string()),
      addr_info: z.array(
        z.object({ family: z.string(), local: z.optional(z.string()), scope: z.string() }),
      ),
    }),
  )
  .check(z.maxLength(MAX_LINKS));

/**
 * Link-local IPv6 addresses are on every interface whose kernel has IPv6, and no frame of theirs
 * passes; any other means that somebody configured it.
 *
 * @throws DrydockError IP_ANSWER
 */
export const parseLinks = (json: string): readonly Link[] =>
  parseIpAnswer(json, answer).map((link) => ({
    index: link.ifindex,
    name: link.ifname,
    mac: (link.address ?? "").toLowerCase(),
    carries: link.flags.includes("UP") && !link.flags.includes("LOOPBACK"),
    peer: link.link_index ?? null,
    bridge: link.master ?? null,
    ipv4: link.addr_info.flatMap(({ family, local }) => {
      const address = family === "inet" ? parseIpv4(local ?? "") : null;
      return address === null ? [] : [address];
    }),
    hasIpv6: link.addr_info.some(({ family, scope }) => family === "inet6" && scope !== "link"),
  }));
