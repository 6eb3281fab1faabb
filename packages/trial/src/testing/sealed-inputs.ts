import type { Inputs, Order } from "../contract/index.js";

const digest = (hex: string) => `sha256:${hex.repeat(64)}` as const;

/** What a launcher would have sealed of a machine with nothing in it. */
export const sealedInputs = (): Inputs => {
  const process = {
    interfaces: [],
    namespaces: [],
    capabilities: [],
    seccomp: 0,
    noNewPrivileges: true,
    mounts: [],
  };
  const channel = (name: string, kind: string) => ({
    ...{ name, kind, requestBytes: 1 << 30, responseBytes: 1 << 30, concurrency: 1 },
    ...{ deadlineMs: 1000, destination: "a test" },
    idempotency: "none" as const,
    replay: "refused" as const,
    cancellation: "revoke" as const,
    receipts: "each" as const,
  });
  return {
    source: null,
    canonical: null,
    image: {
      name: "none",
      ...{ digest: digest("1"), kernel: digest("2"), initrd: digest("3") },
      ...{ root: digest("4"), agent: digest("5") },
    },
    vmm: {
      ...{ adapter: "fake", version: "1", binary: digest("6"), firmware: [] },
      ...{ libraries: digest("7"), arguments: digest("8") },
      ...{ accelerator: "none", machine: "none", cpuModel: "none" },
    },
    snapshot: null,
    topology: {
      devices: [],
      channels: [channel("drydock.bulk.0", "bulk"), channel("drydock.control.0", "control")],
      process,
      tree: null,
    },
    machine: {
      ...{ devices: [], grantable: [], disks: [], chardevs: [], kvm: false, treeDigest: null },
      process,
    },
    build: {
      version: "0",
      drydock: digest("9"),
      native: null,
      node: { version: "v20", digest: digest("a") },
    },
    vmmPids: 64,
    vmmMemoryBytes: 1 << 30,
    helpers: {
      ...{ controllerMemoryBytes: 1 << 29, controllerPids: 64 },
      ...{ portMemoryBytes: 1 << 29, portPids: 64 },
      ...{ egressMemoryBytes: null, egressPids: null },
    },
  };
};

export const testOrder = (run: string): Order => ({
  run,
  title: "true",
  idempotencyKey: null,
  liveRuns: [],
  command: {
    argv: ["true"],
    cwd: "/",
    environment: { commitment: `hmac-sha256:${"b".repeat(64)}`, names: [] },
    tty: false,
    user: "1000:1000",
  },
  sourceDestination: "/work",
  sourceOwner: { uid: 1000, gid: 1000 },
  limits: {
    ...{ cpus: 1, memoryBytes: 1 << 29, diskBytes: 1 << 20, wallMs: 60_000, idleMs: null },
    ...{ consoleBytes: 65_536, outputBytes: 65_536, artifactCount: 16, artifactBytes: 1 << 20 },
    ...{ artifactDepth: 8, networkChannels: 0, guestPids: 128, guestFds: 512 },
  },
  artifacts: [],
  artifactRoot: "/work",
  egress: null,
  canaries: [],
});
