import { Agent } from "node:http";
import { createInterface } from "node:readline";
import { DrydockError, isDrydockError, quote } from "@drydock/evidence";
import type Dockerode from "dockerode";
import type * as z from "zod/mini";
import { formatIpv4 } from "../../model/index.js";
import type { ContainerSpec, DeploymentBackend, EngineEvent, NetworkSpec } from "../port.js";
import {
  containerAnswer,
  containersAnswer,
  eventAnswer,
  imageAnswer,
  infoAnswer,
  networksAnswer,
} from "./answers.js";
import { containerOf, networkOf } from "./read.js";

/** A local engine answers in milliseconds; one that is starting containers, in seconds. */
const ANSWER_TIMEOUT_MS = 30_000;

/**
 * Names of containers are answered by the engine itself; all others it would ask of its host's
 * resolver, from the host where that is on loopback: a way out past every rule. This address
 * (RFC 5737) is asked from the container's own place instead, where it isn't reached.
 */
const NO_RESOLVER = "192.0.2.1";

/** A scenario's node is one service, not a build farm. */
const NODE_PIDS = 512;

/**
 * An engine behind its Unix socket. Nothing is pulled, built or tagged, and nothing is created on
 * a network that wasn't named.
 *
 * @throws DrydockError ENGINE_UNREACHABLE, ENGINE_REFUSED, ENGINE_ANSWER
 */
export const createDockerBackend = async (socketPath: string): Promise<DeploymentBackend> => {
  // Loading it takes longer than asking the engine: only who needs an engine pays.
  const { default: Docker } = await import("dockerode");
  // Node's own gives a connection five seconds, which pass while this process computes: one that the
  // engine took long ago would be called silent.
  const place = { socketPath, agent: new Agent({ keepAlive: true }) };
  return new DockerBackend(
    new Docker({ ...place, timeout: ANSWER_TIMEOUT_MS }),
    // A timeout is one of silence, and of a boundary that nobody touches there is nothing to tell.
    new Docker(place),
  );
};

class DockerBackend implements DeploymentBackend {
  readonly #docker: Dockerode;
  readonly #events: Dockerode;

  constructor(docker: Dockerode, events: Dockerode) {
    this.#docker = docker;
    this.#events = events;
  }

  async identity() {
    const { ID, ServerVersion } = await ask("info", infoAnswer, () => this.#docker.info());
    return { daemonId: ID, version: ServerVersion };
  }

  async networks() {
    const answer = await ask("networks", networksAnswer, () => this.#docker.listNetworks());
    return answer.map(networkOf);
  }

  async containers() {
    const listed = await ask("containers", containersAnswer, () =>
      this.#docker.listContainers({ all: true }),
    );
    const asked = await Promise.all(listed.map(({ Id }) => this.#container(Id)));
    return asked.filter((container) => container !== null);
  }

  async imageId(reference: string): Promise<string | null> {
    const [name, digest] = reference.split("@");
    for (const spelling of [reference, digest ?? ""]) {
      const image = await this.#image(spelling);
      if (image === null) continue;
      if (image.RepoDigests?.includes(reference)) return image.Id;
      // One that was loaded from an archive has no repository digest; its id is a digest as well.
      const tagged = (image.RepoTags ?? []).some((tag) => tag.replace(/:[^:/]*$/, "") === name);
      if (image.Id === digest && tagged) return image.Id;
    }
    return null;
  }

  async createNetwork(spec: NetworkSpec): Promise<string> {
    const { id } = await this.#do("create network", () =>
      this.#docker.createNetwork({
        Name: spec.name,
        CheckDuplicate: true,
        Driver: "bridge",
        Internal: spec.internal,
        EnableIPv6: false,
        IPAM: { Driver: "default", Config: [{ Subnet: spec.subnet, Gateway: spec.gateway }] },
        Options: { "com.docker.network.bridge.name": spec.bridge },
        Labels: { ...spec.labels },
      }),
    );
    return id;
  }

  async removeNetwork(id: string): Promise<void> {
    await this.#do("remove network", () => this.#docker.getNetwork(id).remove());
  }

  async createContainer(spec: ContainerSpec): Promise<string> {
    const [first, ...others] = spec.attachments;
    if (first === undefined) {
      throw new DrydockError("ENGINE_REFUSED", `${spec.name} has no network to be created on`);
    }
    const container = await this.#do("create container", () =>
      this.#docker.createContainer({
        name: spec.name,
        Image: spec.image,
        ...(spec.command === null ? {} : { Entrypoint: [], Cmd: [...spec.command] }),
        Hostname: spec.name,
        Labels: { ...spec.labels },
        Env: Object.entries(spec.environment).map(([name, value]) => `${name}=${value}`),
        ExposedPorts: Object.fromEntries(
          spec.publications.map(({ target, protocol }) => [`${target}/${protocol}`, {}]),
        ),
        HostConfig: {
          NetworkMode: first.network,
          Dns: [NO_RESOLVER],
          SecurityOpt: ["no-new-privileges"],
          PidsLimit: NODE_PIDS,
          RestartPolicy: { Name: "no" },
          PortBindings: Object.fromEntries(
            spec.publications.map(({ address, port, protocol, target }) => [
              `${target}/${protocol}`,
              [{ HostIp: address, HostPort: String(port) }],
            ]),
          ),
          Mounts: spec.mounts.map(({ source, target }) => ({
            Type: "bind",
            Source: source,
            Target: target,
            ReadOnly: true,
          })),
        },
        NetworkingConfig: { EndpointsConfig: { [first.network]: endpoint(first.ipv4) } },
      }),
    );
    for (const { network, ipv4 } of others) {
      await this.#do("attach container", () =>
        this.#docker
          .getNetwork(network)
          .connect({ Container: container.id, EndpointConfig: endpoint(ipv4) }),
      );
    }
    return container.id;
  }

  async start(id: string): Promise<void> {
    await this.#do("start container", () => this.#docker.getContainer(id).start());
  }

  async kill(id: string): Promise<void> {
    await this.#do("kill container", () => this.#docker.getContainer(id).kill());
  }

  async removeContainer(id: string): Promise<void> {
    await this.#do("remove container", () =>
      this.#docker.getContainer(id).remove({ force: true, v: true }),
    );
  }

  async *events(signal: AbortSignal): AsyncIterable<EngineEvent> {
    const stream = await this.#do("events", () =>
      this.#events.getEvents({
        filters: { type: ["container", "network", "daemon"] },
        abortSignal: signal,
      }),
    );
    try {
      for await (const line of createInterface({ input: stream })) {
        const { Type, Action, Actor } = parsed("event", eventAnswer, jsonOf(line));
        if (Type === "container" || Type === "network" || Type === "daemon") {
          yield { kind: Type, action: Action, id: Actor.ID, attributes: Actor.Attributes ?? {} };
        }
      }
    } catch (error) {
      if (signal.aborted) return;
      throw isDrydockError(error) ? error : failure("events", error);
    }
    if (!signal.aborted) {
      throw new DrydockError("ENGINE_UNREACHABLE", "the engine ended its stream of events");
    }
  }

  /** null: it was removed since it was listed, as anybody's may be. */
  async #container(id: string) {
    const answer = await unlessGone(`container ${id.slice(0, 12)}`, containerAnswer, () =>
      this.#docker.getContainer(id).inspect(),
    );
    return answer === null ? null : containerOf(answer);
  }

  #image(spelling: string) {
    return unlessGone("image", imageAnswer, () => this.#docker.getImage(spelling).inspect());
  }

  async #do<T>(what: string, call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      throw failure(what, error);
    }
  }
}

const ask = async <T>(
  what: string,
  schema: z.ZodMiniType<T>,
  call: () => Promise<unknown>,
): Promise<T> => {
  let answer: unknown;
  try {
    answer = await call();
  } catch (error) {
    throw failure(what, error);
  }
  return parsed(what, schema, answer);
};

/** null: the engine has nothing of that name. */
const unlessGone = async <T>(
  what: string,
  schema: z.ZodMiniType<T>,
  call: () => Promise<unknown>,
): Promise<T | null> => {
  let answer: unknown;
  try {
    answer = await call();
  } catch (error) {
    if (statusOf(error) === 404) return null;
    throw failure(what, error);
  }
  return parsed(what, schema, answer);
};

/** undefined, which no schema takes, for what is no JSON. */
const jsonOf = (line: string): unknown => {
  try {
    return JSON.parse(line);
  } catch {
    // The schema's refusal says it.
    return undefined;
  }
};

const parsed = <T>(what: string, schema: z.ZodMiniType<T>, answer: unknown): T => {
  const result = schema.safeParse(answer);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new DrydockError(
    "ENGINE_ANSWER",
    `the engine's answer about ${what} can't be read: ${issue?.path.join(".")}: ${issue?.message}`,
    { fix: "Use Docker Engine 20.10 or later." },
  );
};

const statusOf = (error: unknown): number | null =>
  error instanceof Error && "statusCode" in error && typeof error.statusCode === "number"
    ? error.statusCode
    : null;

/** The engine's own words may hold names that a scenario chose. */
const failure = (what: string, error: unknown): DrydockError => {
  const words = quote(error instanceof Error ? error.message : String(error));
  if (statusOf(error) !== null) {
    return new DrydockError("ENGINE_REFUSED", `the engine refused (${what}): ${words}`, {
      cause: error,
    });
  }
  return new DrydockError("ENGINE_UNREACHABLE", `the engine can't be asked (${what}): ${words}`, {
    fix: `Start the engine, or name its socket with --docker-socket. One that says nothing for ${ANSWER_TIMEOUT_MS / 1_000} s counts as gone.`,
    cause: error,
  });
};

const endpoint = (ipv4: number) => ({ IPAMConfig: { IPv4Address: formatIpv4(ipv4) } });
