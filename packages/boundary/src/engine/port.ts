import type { Ipv4 } from "../model/index.js";

/** What identifies the engine that a boundary is realised on. */
export interface EngineIdentity {
  readonly daemonId: string;
  readonly version: string;
}

export interface EngineNetwork {
  readonly id: string;
  readonly name: string;
  readonly driver: string;
  readonly bridge: string | null;
  readonly internal: boolean;
  readonly subnets: readonly { readonly subnet: string; readonly gateway: string | null }[];
  readonly ipv6: boolean;
  readonly labels: Readonly<Record<string, string>>;
}

export interface EngineEndpoint {
  /** Id of the network, or its name while the container has never run. */
  readonly network: string;
  readonly ipv4: string | null;
  readonly ipv6: string | null;
  readonly mac: string | null;
}

export interface EnginePublication {
  readonly address: string;
  readonly port: number;
  readonly protocol: "tcp" | "udp";
  /** Of the container. */
  readonly target: number;
}

/** Whatever of a container could give it authority over the engine or the host. */
export interface EngineAuthority {
  readonly privileged: boolean;
  readonly hostPid: boolean;
  readonly hostNetwork: boolean;
  readonly hostIpc: boolean;
  readonly capabilities: readonly string[];
  readonly devices: number;
  /** Host paths that are mounted. */
  readonly binds: readonly string[];
  readonly securityOptions: readonly string[];
  readonly environmentNames: readonly string[];
}

export interface EngineContainer {
  readonly id: string;
  readonly name: string;
  /** Image id. */
  readonly image: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly running: boolean;
  /** In the engine's namespace; null while it doesn't run. */
  readonly pid: number | null;
  readonly startedAt: string;
  readonly endpoints: readonly EngineEndpoint[];
  readonly publications: readonly EnginePublication[];
  readonly authority: EngineAuthority;
}

export interface NetworkSpec {
  readonly name: string;
  /** At most 15 bytes: an interface's name. */
  readonly bridge: string;
  readonly subnet: string;
  readonly gateway: string;
  /** No default route, no masquerading. */
  readonly internal: boolean;
  readonly labels: Readonly<Record<string, string>>;
}

export interface ContainerSpec {
  readonly name: string;
  /** Image id: what it's called was resolved, and never pulled, before. */
  readonly image: string;
  /** null: the image's own. */
  readonly command: readonly string[] | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly environment: Readonly<Record<string, string>>;
  /** In order; it is created on the first, and isn't started before it is on all. */
  readonly attachments: readonly { readonly network: string; readonly ipv4: Ipv4 }[];
  readonly publications: readonly EnginePublication[];
  /** Host files and directories, read-only. */
  readonly mounts: readonly { readonly source: string; readonly target: string }[];
}

export interface EngineEvent {
  readonly kind: "container" | "network" | "daemon";
  readonly action: string;
  /** Of what it happened to. */
  readonly id: string;
  /** A container's name, image and labels; of a network's, which container came or went. */
  readonly attributes: Readonly<Record<string, string>>;
}

/**
 * What realising a boundary asks of a container engine. It resolves no name by itself, pulls and
 * builds nothing, and has no default network: every network is named.
 */
export interface DeploymentBackend {
  identity(): Promise<EngineIdentity>;
  networks(): Promise<readonly EngineNetwork[]>;
  /** All of them, running or not. */
  containers(): Promise<readonly EngineContainer[]>;
  /** The id of a local image that `name@sha256:…` names by its repository digest or its id; null if there is none. */
  imageId(reference: string): Promise<string | null>;
  createNetwork(spec: NetworkSpec): Promise<string>;
  removeNetwork(id: string): Promise<void>;
  /** Created, attached to all its networks, and not started. */
  createContainer(spec: ContainerSpec): Promise<string>;
  start(id: string): Promise<void>;
  /** Ended at once, and kept: it can be started again. */
  kill(id: string): Promise<void>;
  /** Killed and removed, with its anonymous volumes. */
  removeContainer(id: string): Promise<void>;
  /** Until the signal or the engine ends it; the engine's end is an error. */
  events(signal: AbortSignal): AsyncIterable<EngineEvent>;
}
