import { generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ARTIFACT_KINDS, WORKBENCH_LABEL } from "@drydock/boundary";
import type { EngineLab } from "@drydock/boundary/testing";

/** Two machines on one network, of which one may call the other on one port. */
const PLAN = `schema: drydock.plan/v1
default: deny
nodes:
  lan: { type: Switch }
  web: { type: VM }
  desk: { type: VM }
infrastructure:
  lan: { properties: { cidr: 10.60.1.0/24, gateway: 10.60.1.1 } }
  web:
    links: [lan]
    properties: [{ lan: 10.60.1.8 }]
    acls:
      - { name: http, direction: in, from_net: lan, protocol: tcp, ports: [80], action: allow }
  desk:
    links: [lan]
    properties: [{ lan: 10.60.1.20 }]
    acls:
      - { name: browses, direction: out, to_net: lan, protocol: tcp, ports: [80], action: allow }
`;

const VERSION = "participant-workbench-profile/v1";

/** An image that says which workbench it is of, made from one that doesn't. */
export const workbenchImage = async (lab: EngineLab): Promise<string> => {
  const from = await lab.docker("create", "--network", "none", "lab:1", "/bin/sleep", "1");
  const label = `LABEL ${WORKBENCH_LABEL}=${VERSION}`;
  const id = await lab.docker("commit", "--change", label, from, "workbench:1");
  await lab.docker("rm", from);
  return `workbench@${id}`;
};

const keyFiles = (directory: string, name: string) => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const files = { key: join(directory, `${name}.key`), pem: join(directory, `${name}.pem`) };
  writeFileSync(files.key, privateKey.export({ format: "pem", type: "pkcs8" }), { mode: 0o600 });
  writeFileSync(files.pem, publicKey.export({ format: "pem", type: "spki" }));
  return files;
};

export interface Seat {
  readonly plan: string;
  readonly policy: string;
  readonly platform: string;
  readonly binding: string;
  readonly owner: Readonly<Record<"key" | "pem", string>>;
  readonly observer: Readonly<Record<"key" | "pem", string>>;
  /** Whom nobody trusts. */
  readonly stranger: Readonly<Record<"key" | "pem", string>>;
  /** Arguments of `boundary release` for what lies in the directory. */
  readonly release: readonly string[];
}

/** Everything that an appliance's owner writes, in a directory; what they sign, they sign themselves. */
export const writeSeat = (
  directory: string,
  image: string,
  {
    hostMcp = false,
    freshness = 3_600,
    hostNetwork = false,
  }: {
    readonly hostMcp?: boolean;
    readonly freshness?: number;
    readonly hostNetwork?: boolean;
  } = {},
): Seat => {
  const file = (name: string, text: string): string => {
    const path = join(directory, name);
    writeFileSync(path, text);
    return path;
  };
  const publications = [
    { audience: "participant", address: "127.0.0.1", port: 3000, protocol: "tcp" },
    { audience: "recovery", address: "127.0.0.1", port: 8400, protocol: "tcp" },
    ...(hostMcp
      ? [{ audience: "host-mcp", address: "127.0.0.1", port: 2222, protocol: "tcp" }]
      : []),
  ];
  const zones = ["participant", "management", "egress"];
  const policy = {
    schema_version: "aptl.appliance-boundary/v1",
    policy_id: "seat",
    generation: 1,
    workbench_policy_version: VERSION,
    default_deny: true,
    platform_networks: Object.fromEntries(zones.map((zone) => [zone, `x.net=${zone}`])),
    platform_anchors: Object.fromEntries(zones.map((zone) => [zone, `x.zone=${zone}`])),
    fixed_crossings: [
      {
        source: "management",
        destination: "egress",
        protocol: "tcp",
        ports: [3128],
        purpose: "broker",
      },
    ],
    egress_authorities: [
      {
        source: "egress",
        authority: "api.vendor.test",
        protocol: "tcp",
        port: 443,
        purpose: "model",
        resolution: "proxy-resolved-all-global",
        failure_disposition: "deny",
      },
    ],
    egress_proxy_limits: {
      max_connections: 32,
      max_header_bytes: 4096,
      header_timeout_seconds: 5,
      connect_timeout_seconds: 10,
      idle_timeout_seconds: 60,
    },
    guest_publications: publications,
    host_mcp_contract: hostMcp ? "aptl.restricted-ssh-mcp/v1" : null,
    docker_authority: { allowed_holder_labels: ["x.role=deployer"], require_guest_daemon: true },
    observation_freshness_seconds: freshness,
    allow_host_network: hostNetwork,
  };
  const network = (third: number) => ({
    cidr: `10.99.${third}.0/24`,
    gateway: `10.99.${third}.1`,
  });
  const anchor = { image, command: ["/bin/sleep", "3600"] };
  const published = (...audiences: readonly string[]) =>
    publications
      .filter(({ audience }) => audiences.includes(audience))
      .map(({ audience: _audience, ...place }) => ({ ...place, target: place.port }));
  const platform = {
    schema: "drydock.platform/v1",
    networks: { participant: network(1), management: network(2), egress: network(3) },
    anchors: {
      participant: {
        ...anchor,
        addresses: { participant: "10.99.1.10", management: "10.99.2.10" },
        publications: published("participant"),
      },
      management: {
        ...anchor,
        addresses: { management: "10.99.2.20" },
        publications: published("recovery", "host-mcp"),
      },
      egress: { ...anchor, addresses: { egress: "10.99.3.30", management: "10.99.2.30" } },
    },
  };
  for (const kind of ARTIFACT_KINDS) file(`${kind}.txt`, `no ${kind}\n`);
  const parts = ARTIFACT_KINDS.map((kind) =>
    kind === "boundary-policy" ? `${kind}=policy.json` : `${kind}=${kind}.txt`,
  );
  return {
    plan: file("plan.yaml", PLAN),
    policy: file("policy.json", JSON.stringify(policy)),
    platform: file("platform.json", JSON.stringify(platform)),
    binding: join(directory, "binding.json"),
    owner: keyFiles(directory, "owner"),
    observer: keyFiles(directory, "observer"),
    stranger: keyFiles(directory, "stranger"),
    release: [
      ...["boundary", "release", directory, "--id", "seat-1", "--profile", "red@1"],
      ...parts.flatMap((part) => ["--artifact", part]),
      ...["--helper-image", image, "--proxy-image", image],
      ...["--signing-key", join(directory, "owner.key"), "--json"],
    ],
  };
};
