/** Blocks that aren't in the special-purpose registries, or that Drydock judges otherwise. */
export interface BeyondRegistry {
  readonly block: string;
  readonly name: string;
  readonly global: boolean;
  /** Where it says so. */
  readonly source: string;
}

/**
 * Judged before a registry block of the same length. Metadata services hand credentials to whoever
 * reaches them from inside of a machine; those in blocks that are special anyway are here for their
 * name in a receipt.
 */
export const BEYOND_REGISTRY: readonly BeyondRegistry[] = [
  { block: "0.0.0.0/0", name: "Unicast", global: true, source: "RFC 1122 §3.2.1.3" },
  { block: "224.0.0.0/4", name: "Multicast", global: false, source: "RFC 5771" },

  // An IPv6 address is global unicast inside 2000::/3 alone: IANA allocates from nothing else.
  { block: "::/0", name: "Not Global Unicast", global: false, source: "RFC 4291 §2.4, RFC 3513" },
  { block: "2000::/3", name: "Global Unicast", global: true, source: "RFC 4291 §2.4" },
  { block: "::/96", name: "IPv4-compatible", global: false, source: "RFC 4291 §2.5.5.1" },
  // Registered as globally reachable, which says where packets may go, not where they end: the
  // translator of this network decides that, and it may know private IPv4 destinations (RFC 6052
  // §3.1 forbids it, and nobody here can see it). A public name has no reason to point there.
  {
    block: "64:ff9b::/96",
    name: "IPv4-IPv6 Translat.",
    global: false,
    source: "RFC 6052 §2.1, RFC 7050",
  },
  { block: "fec0::/10", name: "Site-Local", global: false, source: "RFC 3879" },
  { block: "ff00::/8", name: "Multicast", global: false, source: "RFC 4291 §2.7" },

  {
    block: "168.63.129.16/32",
    name: "Metadata (Azure WireServer)",
    global: false,
    source: "https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16",
  },
  {
    block: "192.80.8.124/32",
    name: "Metadata (Packet, Equinix Metal)",
    global: false,
    source: "https://www.packet.com/developers/docs/servers/key-features/metadata/",
  },
  {
    block: "100.100.100.200/32",
    name: "Metadata (Alibaba)",
    global: false,
    source: "https://www.alibabacloud.com/help/en/ecs/user-guide/view-instance-metadata",
  },
  {
    block: "169.254.169.254/32",
    name: "Metadata",
    global: false,
    source: "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html",
  },
  {
    block: "169.254.170.2/32",
    name: "Metadata (ECS credentials)",
    global: false,
    source: "https://docs.aws.amazon.com/AmazonECS/latest/developerguide/task-iam-roles.html",
  },
  {
    block: "169.254.170.23/32",
    name: "Metadata (EKS credentials)",
    global: false,
    source: "https://docs.aws.amazon.com/eks/latest/userguide/pod-id-how-it-works.html",
  },
  {
    block: "169.254.42.42/32",
    name: "Metadata (Scaleway)",
    global: false,
    source:
      "https://github.com/canonical/cloud-init/blob/main/cloudinit/sources/DataSourceScaleway.py",
  },
  {
    block: "192.0.0.192/32",
    name: "Metadata (Oracle)",
    global: false,
    source:
      "https://docs.oracle.com/en/cloud/cloud-at-customer/occ-get-started/retrieve-predefined-instance-metadata.html",
  },
  {
    block: "fd00:ec2::254/128",
    name: "Metadata (AWS)",
    global: false,
    source: "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html",
  },
  {
    block: "fd00:ec2::23/128",
    name: "Metadata (EKS credentials)",
    global: false,
    source: "https://docs.aws.amazon.com/eks/latest/userguide/pod-id-how-it-works.html",
  },
  {
    block: "fd20:ce::254/128",
    name: "Metadata (Google)",
    global: false,
    source: "https://cloud.google.com/compute/docs/metadata/querying-metadata",
  },
  {
    block: "fd00:a9fe:a9fe::1/128",
    name: "Metadata (Akamai)",
    global: false,
    source: "https://cloudinit.readthedocs.io/en/latest/reference/datasources/akamai.html",
  },
  {
    block: "fd00:42::42/128",
    name: "Metadata (Scaleway)",
    global: false,
    source:
      "https://github.com/canonical/cloud-init/blob/main/cloudinit/sources/DataSourceScaleway.py",
  },
];
