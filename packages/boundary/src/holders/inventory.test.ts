import assert from "node:assert/strict";
import { test } from "node:test";
import type { EngineAuthority, EngineContainer } from "../engine/index.js";
import { holderInventory } from "./inventory.js";
import { powersOf } from "./powers.js";

const NONE: EngineAuthority = {
  privileged: false,
  hostPid: false,
  hostNetwork: false,
  hostIpc: false,
  capabilities: [],
  devices: 0,
  binds: [],
  securityOptions: ["no-new-privileges"],
  environmentNames: ["PATH"],
};

const container = (
  name: string,
  authority: Partial<EngineAuthority>,
  rest: Partial<EngineContainer> = {},
): EngineContainer => ({
  id: name,
  name,
  image: "sha256:0",
  labels: {},
  running: true,
  pid: 7,
  startedAt: "",
  endpoints: [],
  publications: [],
  authority: { ...NONE, ...authority },
  ...rest,
});

const SOCKETS = ["/srv/appliance/engine.sock"];
const ALLOWED = [{ key: "x.role", value: "deployer" }];
const options = {
  ...{ allowed: ALLOWED, daemonId: "engine", sockets: SOCKETS },
  mounting: new Set<string>(),
};
const quiet = { api: [], otherEngines: [] };

test("an ordinary container holds nothing", () => {
  assert.deepEqual(powersOf(container("web", { capabilities: ["NET_RAW"] }), SOCKETS), {
    access: null,
    overprivileged: [],
  });
});

for (const [what, authority, access] of [
  ["the engine's socket", { binds: ["/srv/appliance/engine.sock"] }, "socket"],
  ["a directory above it", { binds: ["/srv"] }, "socket"],
  ["the whole host", { binds: ["/"] }, "socket"],
  ["the usual socket under its other name", { binds: ["/var/run/docker.sock"] }, "socket"],
  ["the directory of usual sockets", { binds: ["/run/"] }, "socket"],
  ["containerd's socket", { binds: ["/run/containerd"] }, "socket"],
  ["an engine's address", { environmentNames: ["DOCKER_HOST"] }, "api"],
  ["all privileges", { privileged: true }, "host"],
  ["the host's processes", { hostPid: true }, "host"],
  ["the host's network", { hostNetwork: true }, "host"],
  ["the host's memory segments", { hostIpc: true }, "host"],
  ["a device", { devices: 1 }, "host"],
  ["a capability under its long name", { capabilities: ["CAP_SYS_ADMIN"] }, "host"],
  ["the right to change its own rules", { capabilities: ["net_admin"] }, "host"],
  ["the right to set the clock", { capabilities: ["SYS_TIME"] }, "host"],
  ["no system call filter", { securityOptions: ["seccomp=unconfined"] }, "host"],
  ["the host's settings", { securityOptions: ["systempaths=unconfined"] }, "host"],
] as const) {
  test(`${what} is authority`, () => {
    assert.equal(powersOf(container("it", authority), SOCKETS).access, access);
  });
}

test("a mount beside the socket is none", () => {
  const beside = ["/srv/appliance/engine.sock.d", "/srv/appliances", "/srv/data", "/runner"];
  assert.equal(powersOf(container("it", { binds: beside }), SOCKETS).access, null);
});

test("a socket that the kernel shows is authority, whatever the engine calls it", () => {
  const hidden = container("hidden", { binds: ["/srv/link"] });
  const holdersWith = (mounting: readonly string[]) =>
    holderInventory([hidden], quiet, { ...options, allowed: [], mounting: new Set(mounting) })
      .holders;
  assert.deepEqual(
    holdersWith(["hidden"]).map(({ identity, access }) => [identity, access]),
    [["hidden", "socket"]],
  );
  assert.deepEqual(holdersWith(["another"]), []);
});

test("who is signed and there is a holder, and nobody is missing", () => {
  const deployer = container("deployer", { binds: SOCKETS }, { labels: { "x.role": "deployer" } });
  assert.deepEqual(holderInventory([deployer, container("web", {})], quiet, options), {
    holders: [
      {
        identity: "deployer",
        selector: "x.role=deployer",
        daemonId: "engine",
        access: "socket",
        overprivileged: [],
      },
    ],
    missing: [],
  });
  const stopped = { ...deployer, running: false };
  assert.deepEqual(holderInventory([stopped], quiet, options).missing, ["x.role=deployer"]);
  assert.deepEqual(holderInventory([], quiet, options).missing, ["x.role=deployer"]);
  const toothless = { ...deployer, authority: NONE };
  assert.deepEqual(holderInventory([toothless], quiet, options).missing, ["x.role=deployer"]);
});

test("who isn't signed is listed without a selector, container or not", () => {
  const stranger = container("stranger", { binds: SOCKETS }, { labels: { "x.role": "deployers" } });
  const host = { api: ["tcp 0.0.0.0:2375"], otherEngines: ["podman (process 9)"] };
  const { holders } = holderInventory([stranger], host, options);
  assert.deepEqual(
    holders.map(({ identity, selector, access, daemonId }) => [
      identity,
      selector,
      access,
      daemonId,
    ]),
    [
      ["stranger", null, "socket", "engine"],
      ["tcp 0.0.0.0:2375", null, "api", "engine"],
      ["podman (process 9)", null, "host", "another engine"],
    ],
  );
});
