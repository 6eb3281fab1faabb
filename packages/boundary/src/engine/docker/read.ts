import type * as z from "zod/mini";
import type {
  EngineAuthority,
  EngineContainer,
  EngineNetwork,
  EnginePublication,
} from "../port.js";
import type { containerAnswer, networksAnswer } from "./answers.js";

type NetworkAnswer = z.output<typeof networksAnswer>[number];
type ContainerAnswer = z.output<typeof containerAnswer>;

const BRIDGE_NAME = "com.docker.network.bridge.name";

const PARENT = "parent";

/**
 * The engine's own name of a bridge that nobody named: `br-` and the network's first digits. What is
 * put upon an interface (macvlan, ipvlan) shares it with whoever has it, by a VLAN too.
 */
const bridgeOf = ({ Driver, Options, Id }: NetworkAnswer): string | null => {
  switch (Driver) {
    case "bridge":
      return Options?.[BRIDGE_NAME] ?? `br-${Id.slice(0, 12)}`;
    case "macvlan":
    case "ipvlan":
      return Options?.[PARENT]?.replace(/\.[0-9]+$/, "") ?? null;
    default:
      return null;
  }
};

export const networkOf = (answer: NetworkAnswer): EngineNetwork => ({
  id: answer.Id,
  name: answer.Name,
  driver: answer.Driver,
  bridge: bridgeOf(answer),
  internal: answer.Internal,
  subnets: (answer.IPAM.Config ?? []).flatMap(({ Subnet, Gateway }) =>
    Subnet === undefined ? [] : [{ subnet: Subnet, gateway: Gateway ?? null }],
  ),
  ipv6: answer.EnableIPv6,
  labels: answer.Labels ?? {},
});

export const containerOf = (answer: ContainerAnswer): EngineContainer => ({
  id: answer.Id,
  name: answer.Name.replace(/^\//, ""),
  image: answer.Image,
  labels: answer.Config.Labels ?? {},
  running: answer.State.Running,
  pid: answer.State.Pid > 0 ? answer.State.Pid : null,
  startedAt: answer.State.StartedAt,
  endpoints: Object.entries(answer.NetworkSettings.Networks).map(([name, network]) => ({
    // Until it runs the engine has only what the network was called: a name, or the id itself.
    network: network.NetworkID || name,
    // Empty while it doesn't run: then the address that it asked for.
    ipv4: network.IPAddress || network.IPAMConfig?.IPv4Address || null,
    ipv6: network.GlobalIPv6Address || null,
    mac: network.MacAddress || null,
  })),
  publications: publicationsOf(answer),
  authority: authorityOf(answer),
});

type Bindings = NonNullable<ContainerAnswer["HostConfig"]["PortBindings"]>;

/** What it was asked to publish, or, of all that its image exposes, what it does while it runs. */
const publicationsOf = ({
  HostConfig: { PortBindings, PublishAllPorts },
  NetworkSettings: { Ports },
}: ContainerAnswer): readonly EnginePublication[] =>
  bindingsIn({ ...PortBindings, ...(PublishAllPorts === true ? Ports : {}) });

const bindingsIn = (bindings: Bindings): readonly EnginePublication[] =>
  Object.entries(bindings).flatMap(([target, places]) => {
    const [port, protocol] = target.split("/");
    return (places ?? []).map(({ HostIp, HostPort }) => ({
      address: HostIp || "0.0.0.0",
      port: Number(HostPort || 0),
      protocol: protocol === "udp" ? ("udp" as const) : ("tcp" as const),
      target: Number(port),
    }));
  });

const authorityOf = ({ HostConfig, Mounts, Config }: ContainerAnswer): EngineAuthority => ({
  privileged: HostConfig.Privileged,
  hostPid: HostConfig.PidMode === "host",
  hostNetwork: HostConfig.NetworkMode === "host",
  hostIpc: HostConfig.IpcMode === "host",
  capabilities: HostConfig.CapAdd ?? [],
  devices: [HostConfig.Devices, HostConfig.DeviceRequests, HostConfig.DeviceCgroupRules]
    .map((given) => given?.length ?? 0)
    .reduce((sum, count) => sum + count, 0),
  binds: Mounts.flatMap(({ Type, Source }) =>
    Type === "bind" && Source !== undefined ? [Source] : [],
  ),
  securityOptions: [...(HostConfig.SecurityOpt ?? []), ...systemPaths(HostConfig.ReadonlyPaths)],
  environmentNames: (Config.Env ?? []).map((entry) => entry.split("=", 1)[0] ?? ""),
});

/**
 * The engine keeps this option among the paths that it protects, and in no list of options. Who may
 * write these two changes the host: what it runs when a program crashes, and whether it runs at all.
 */
const systemPaths = (kept: readonly string[] | null | undefined): readonly string[] =>
  kept == null || ["/proc/sys", "/proc/sysrq-trigger"].every((path) => kept.includes(path))
    ? []
    : ["systempaths=unconfined"];
