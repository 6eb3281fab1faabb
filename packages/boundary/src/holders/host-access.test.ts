import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { openNamespace } from "../nft/index.js";
import { startEngineLab } from "../testing/index.js";
import { engineProcess } from "./engine-process.js";
import { observeHostAccess } from "./host-access.js";

const CONNECT = `
  const socket = require("node:net").connect(process.argv[1], () => console.log("connected"));
  process.stdin.resume().on("end", () => socket.destroy());
`;

test("a containerd that was started by itself is the engine's while nobody else talks to it", async (t) => {
  const lab = await startEngineLab(t, { containerd: "beside" });
  using namespace = openNamespace({ kind: "netns", path: lab.namespace });
  const engine = await engineProcess(namespace, lab.socket);
  const seen = () => observeHostAccess(namespace, engine);
  assert.deepEqual(await seen(), { api: [], otherEngines: [] });

  // Its shim talks to containerd as well, and is nobody's client.
  await lab.docker("run", "-d", "--name", "held", "--network", "none", "lab:1", "sleep", "600");
  assert.deepEqual(await seen(), { api: [], otherEngines: [] });

  const socket = join(lab.socket, "..", "containerd.sock");
  const enter = [`--net=${lab.namespace}`, "--", process.execPath, "-e", CONNECT, socket];
  const client = spawn("nsenter", enter, { stdio: ["pipe", "pipe", "inherit"] });
  const gone = once(client, "exit");
  t.after(() => client.kill());
  await once(client.stdout, "data");
  const { api, otherEngines } = await seen();
  assert.deepEqual(api, []);
  assert.equal(otherEngines.length, 1);
  assert.match(otherEngines[0] ?? "", /^containerd \(process \d+\)$/);

  client.stdin.end();
  await gone;
  // It closes its end when it gets to it.
  let last = await seen();
  for (let tries = 0; tries < 200 && last.otherEngines.length > 0; tries += 1) {
    await pause(50);
    last = await seen();
  }
  assert.deepEqual(last, { api: [], otherEngines: [] });
});

test("a containerd that the engine has nothing to do with is another engine", async (t) => {
  const lab = await startEngineLab(t);
  using namespace = openNamespace({ kind: "netns", path: lab.namespace });
  const engine = await engineProcess(namespace, lab.socket);
  assert.deepEqual(await observeHostAccess(namespace, engine), { api: [], otherEngines: [] });

  const beside = lab.startContainerd();
  await beside.ready();
  const { otherEngines } = await observeHostAccess(namespace, engine);
  assert.deepEqual(otherEngines, [`containerd (process ${beside.pid})`]);
});
