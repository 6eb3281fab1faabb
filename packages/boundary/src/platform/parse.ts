import { readUserFile } from "@drydock/document";
import type { BoundaryCode } from "../codes.js";
import {
  type Cidr,
  contains,
  firstOf,
  type Ipv4,
  lastOf,
  parseCidr,
  parseIpv4,
  ZONES,
  type Zone,
} from "../model/index.js";
import { mountFaults, type PlatformMount } from "./mount.js";
import { platformSchema } from "./schema.js";

export interface PlatformNetwork {
  readonly cidr: Cidr;
  readonly gateway: Ipv4;
}

export interface PlatformPublication {
  readonly address: string;
  readonly port: number;
  readonly protocol: "tcp" | "udp";
  readonly target: number;
}

export interface PlatformAnchor {
  /** `name@sha256:…`. */
  readonly image: string;
  readonly command: readonly string[] | null;
  /** Its own zone's network first: that holds the default route. */
  readonly attachments: readonly { readonly zone: Zone; readonly ipv4: Ipv4 }[];
  readonly publications: readonly PlatformPublication[];
  readonly mounts: readonly PlatformMount[];
}

/** The platform's own networks and services, as apply makes them. */
export interface Platform {
  readonly networks: Readonly<Record<Zone, PlatformNetwork>>;
  readonly anchors: Readonly<Record<Zone, PlatformAnchor>>;
}

/**
 * Reads `drydock.platform/v1`, YAML or JSON.
 *
 * @param file as the user named it, for messages.
 * @throws DrydockError PLATFORM_ADDRESS_INVALID, PLATFORM_ANCHOR_NOT_AT_HOME,
 *   PLATFORM_MOUNT_INVALID, or FILE_…
 */
export const parsePlatform = (bytes: Uint8Array, { file }: { readonly file: string }): Platform => {
  const { value, refuse } = readUserFile(bytes, platformSchema, file);
  const findings: Finding[] = [];
  const networks = eachZone((zone) => {
    const { cidr, gateway } = value.networks[zone];
    const block = parseCidr(cidr);
    const router = parseIpv4(gateway);
    if (block === null) findings.push(invalid(["networks", zone, "cidr"], "is no block"));
    if (router === null || (block !== null && !isHostOf(block, router)))
      findings.push(invalid(["networks", zone, "gateway"], "is no address of the network's"));
    return { cidr: block ?? NOWHERE, gateway: router ?? 0 };
  });
  const anchors = eachZone((zone) => {
    const { image, command, addresses, publications, mounts = [] } = value.anchors[zone];
    for (const { at, what } of mountFaults(mounts)) {
      const path = ["anchors", zone, "mounts", ...at];
      findings.push({ path, code: "PLATFORM_MOUNT_INVALID", what });
    }
    if (addresses[zone] === undefined) {
      findings.push({
        path: ["anchors", zone, "addresses"],
        code: "PLATFORM_ANCHOR_NOT_AT_HOME",
        what: `has no address on the ${zone} network`,
      });
    }
    const attachments = [zone, ...ZONES.filter((other) => other !== zone)].flatMap((place) => {
      const text = addresses[place];
      if (text === undefined) return [];
      const ipv4 = parseIpv4(text);
      if (ipv4 === null || !isHostOf(networks[place].cidr, ipv4))
        findings.push(
          invalid(["anchors", zone, "addresses", place], "is no address of the network's"),
        );
      return [{ zone: place, ipv4: ipv4 ?? 0 }];
    });
    return {
      image,
      command: command ?? null,
      attachments,
      publications: publications ?? [],
      mounts,
    };
  });
  return findings.length > 0 ? refuse(findings) : { networks, anchors };
};

interface Finding {
  readonly path: readonly PropertyKey[];
  readonly code: BoundaryCode;
  readonly what: string;
}

const NOWHERE: Cidr = { base: 0, prefix: 32 };

const invalid = (path: readonly PropertyKey[], what: string): Finding => ({
  path,
  code: "PLATFORM_ADDRESS_INVALID",
  what,
});

const isHostOf = (block: Cidr, address: Ipv4): boolean =>
  contains(block, address) && address !== firstOf(block) && address !== lastOf(block);

const eachZone = <T>(make: (zone: Zone) => T): Readonly<Record<Zone, T>> => ({
  participant: make("participant"),
  management: make("management"),
  egress: make("egress"),
});
