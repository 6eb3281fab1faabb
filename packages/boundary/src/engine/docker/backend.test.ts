import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { type TestContext, test } from "node:test";
import type { ObservedEndpoint } from "../../model/index.js";
import { startEngineLab } from "../../testing/engine-lab.js";
import { ipv4 } from "../../testing/index.js";
import {
  createDockerBackend,
  type KernelView,
  type Link,
  observeTopology,
  parseLinks,
} from "../index.js";

const kernelOf = (run: (argv: readonly string[]) => Promise<string>): KernelView => ({
  bootId: async () => (await readFile("/proc/sys/kernel/random/boot_id", "utf8")).trim(),
  links: async () => parseLinks(await run(["ip", "-json", "address"])),
  linksOf: async (pid) =>
    parseLinks(await run(["nsenter", `--net=/proc/${pid}/ns/net`, "--", "ip", "-json", "address"])),
});

const network = (name: string, third: number) => ({
  name,
  bridge: `br-${name}`,
  subnet: `10.60.${third}.0/24`,
  gateway: `10.60.${third}.1`,
  internal: false,
  labels: { "dev.drydock.plan-address": `provision.network.${name}` },
});

test("a node is created on its first network, attached to the others, and seen with its ports once it runs", async (t: TestContext) => {
  const lab = await startEngineLab(t);
  const { backend } = lab;
  const kernel = kernelOf(lab.run);
  const lan = await backend.createNetwork(network("lan", 1));
  const dmz = await backend.createNetwork(network("dmz", 2));
  const id = await backend.createContainer({
    name: "sensor",
    image: lab.image,
    command: ["/bin/sleep", "600"],
    labels: { "dev.drydock.plan-address": "provision.node.sensor" },
    environment: { ROLE: "sensor" },
    attachments: [
      { network: lan, ipv4: ipv4("10.60.1.30") },
      { network: dmz, ipv4: ipv4("10.60.2.30") },
    ],
    publications: [{ address: "127.0.0.1", port: 3000, protocol: "tcp", target: 80 }],
    mounts: [{ source: "/etc/hostname", target: "/etc/given" }],
  });
  const before = await observeTopology(backend, kernel);
  assert.deepEqual(
    before.containers[0]?.endpoints
      .map(({ network: on, ipv4: address, port }) => [address, port, on])
      .sort(),
    [
      [ipv4("10.60.1.30"), null, lan],
      [ipv4("10.60.2.30"), null, dmz],
    ],
    "what doesn't run has places and no port",
  );

  await backend.start(id);
  const { networks, containers, daemonId } = await observeTopology(backend, kernel);
  assert.equal(daemonId, await lab.docker("info", "--format", "{{.ID}}"));
  assert.deepEqual(
    networks
      .filter(({ driver }) => driver === "bridge")
      .map(({ name, bridge }) => [name, bridge])
      .sort(),
    [
      ["dmz", "br-dmz"],
      ["lan", "br-lan"],
    ],
  );
  const [sensor] = containers;
  assert.ok(sensor);
  assert.deepEqual(sensor.publications, [
    { address: "127.0.0.1", port: 3000, protocol: "tcp", target: 80 },
  ]);
  const links = await kernel.links();
  for (const [bridge, networkId] of [
    ["br-lan", lan],
    ["br-dmz", dmz],
  ] as const) {
    const endpoint: ObservedEndpoint | undefined = sensor.endpoints.find(
      (one) => one.network === networkId,
    );
    const port: Link | undefined = links.find(({ name }) => name === endpoint?.port);
    assert.deepEqual([port?.bridge, endpoint?.hasIpv6], [bridge, false]);
  }
  assert.equal(
    await lab.docker("exec", "sensor", "/bin/cat", "/etc/given"),
    (await readFile("/etc/hostname", "utf8")).trim(),
  );

  const asked = await lab.docker("inspect", "--format", "{{json .HostConfig.Dns}}", "sensor");
  assert.deepEqual(JSON.parse(asked), ["192.0.2.1"], "the host's resolver is asked for nothing");

  // A node that gives itself another address, from where it could: it is bound to nothing then.
  const pid = await lab.docker("inspect", "--format", "{{.State.Pid}}", "sensor");
  const inSensor = (...argv: string[]) =>
    lab.run(["nsenter", `--net=/proc/${pid}/ns/net`, "--", ...argv]);
  await inSensor("ip", "link", "set", "eth0", "address", "02:42:0a:3c:01:63");
  const moved = await observeTopology(backend, kernel);
  assert.deepEqual(moved.containers[0]?.endpoints.map((one) => one.port === null).sort(), [
    false,
    true,
  ]);

  await backend.removeContainer(id);
  await backend.removeNetwork(lan);
  await backend.removeNetwork(dmz);
  assert.deepEqual((await backend.containers()).length, 0);
});

test("an image is found by its id under its name, and never by a tag alone", async (t: TestContext) => {
  const { backend, image } = await startEngineLab(t);
  assert.equal(await backend.imageId(`lab@${image}`), image);
  assert.equal(await backend.imageId(`other@${image}`), null, "another name");
  assert.equal(await backend.imageId(`lab@sha256:${"0".repeat(64)}`), null, "another digest");
});

test("an engine that isn't there, or refuses, says so", async (t: TestContext) => {
  const absent = await createDockerBackend("/run/no-engine.sock");
  await assert.rejects(absent.identity(), { code: "ENGINE_UNREACHABLE" });
  const { backend } = await startEngineLab(t);
  await assert.rejects(backend.start("0".repeat(64)), { code: "ENGINE_REFUSED" });
});

test("events come as they happen, and the engine's end is an error", async (t: TestContext) => {
  const lab = await startEngineLab(t);
  const stopped = new AbortController();
  const seen: string[] = [];
  const watching = (async () => {
    for await (const { kind, action } of lab.backend.events(stopped.signal)) {
      seen.push(`${kind}:${action}`);
      if (seen.includes("network:destroy")) stopped.abort();
    }
  })();
  // The stream is open when the engine has answered it; until then events could be missed.
  while (!seen.includes("network:create")) {
    const id = await lab.backend.createNetwork(network("lan", 1));
    await lab.backend.removeNetwork(id);
  }
  await watching;
  assert.ok(seen.includes("network:destroy"));

  const ended = assert.rejects(
    async () => {
      for await (const _ of lab.backend.events(new AbortController().signal)) assert.ok(_);
    },
    { code: "ENGINE_UNREACHABLE" },
  );
  await lab.restart();
  await ended;
});
