import * as z from "zod/mini";

/** Parts of the engine's answers (API v1.41) that are used. Fields it has beyond them are dropped. */
const text = (max: number) => z.string().check(z.maxLength(max));
const labels = z.nullish(z.record(text(256), text(4_096)));
/** More than any appliance has; an answer beyond it is refused. */
const MAX_ITEMS = 1_024;
const list = <T extends z.ZodMiniType>(item: T) => z.array(item).check(z.maxLength(MAX_ITEMS));

export const infoAnswer = z.object({ ID: text(128), ServerVersion: text(64) });

export const networksAnswer = list(
  z.object({
    Id: text(64),
    Name: text(256),
    Driver: text(64),
    EnableIPv6: z.boolean(),
    Internal: z.boolean(),
    Labels: labels,
    Options: z.nullish(z.record(text(256), text(4_096))),
    IPAM: z.object({
      Config: z.nullish(
        z.array(z.object({ Subnet: z.optional(text(64)), Gateway: z.optional(text(64)) })),
      ),
    }),
  }),
);

export const containersAnswer = list(z.object({ Id: text(64) }));

const portBindings = z.nullish(
  z.record(
    text(32),
    z.nullable(z.array(z.object({ HostIp: z.optional(text(64)), HostPort: text(8) }))),
  ),
);

export const containerAnswer = z.object({
  Id: text(64),
  Name: text(256),
  Image: text(128),
  State: z.object({ Running: z.boolean(), Pid: z.int(), StartedAt: text(64) }),
  Config: z.object({ Labels: labels, Env: z.nullish(list(text(131_072))) }),
  HostConfig: z.object({
    Privileged: z.boolean(),
    PidMode: z.optional(text(256)),
    NetworkMode: text(256),
    IpcMode: z.optional(text(256)),
    CapAdd: z.nullish(list(text(64))),
    Devices: z.nullish(list(z.unknown())),
    DeviceRequests: z.nullish(list(z.unknown())),
    DeviceCgroupRules: z.nullish(list(text(256))),
    ReadonlyPaths: z.nullish(list(text(4_096))),
    SecurityOpt: z.nullish(list(text(4_096))),
    PortBindings: portBindings,
    PublishAllPorts: z.optional(z.boolean()),
  }),
  Mounts: list(z.object({ Type: text(32), Source: z.optional(text(4_096)) })),
  NetworkSettings: z.object({
    Ports: portBindings,
    Networks: z.record(
      text(256),
      z.object({
        NetworkID: text(64),
        IPAddress: text(64),
        GlobalIPv6Address: text(64),
        MacAddress: text(32),
        IPAMConfig: z.nullish(z.object({ IPv4Address: z.optional(text(64)) })),
      }),
    ),
  }),
});

export const imageAnswer = z.object({
  Id: text(128),
  RepoTags: z.nullish(list(text(512))),
  RepoDigests: z.nullish(list(text(512))),
});

export const eventAnswer = z.object({
  Type: text(32),
  Action: text(256),
  Actor: z.object({ ID: text(256), Attributes: labels }),
});
