import assert from "node:assert/strict";
import { test } from "node:test";
import { createKernelBackend } from "../kernel/index.js";
import { openNamespace, permitChanges } from "../nft/index.js";
import { startEngineLab } from "../testing/engine-lab.js";
import { LabNode } from "../testing/lab-node.js";
import {
  aimAt,
  applyBoundary,
  describeStrayPort,
  isProven,
  mayBeStarting,
  proveBoundary,
  see,
  strayPorts,
} from "./index.js";
import { wantedOf } from "./testing/lab-wanted.js";

const OWNER = "dd-stray";
/** An address of the network's that is nobody's, and a service of a node of its. */
const OWN = "10.60.2.77";
const WEB = "10.60.2.8";
const PORT = 80;

test("a port that somebody puts upon a bridge by hand reaches nobody, and is told by its name", async (t) => {
  const lab = await startEngineLab(t);
  using opened = openNamespace({ kind: "netns", path: lab.namespace });
  const namespace = permitChanges(opened, { allowHostNetwork: false });
  const kernel = createKernelBackend(namespace);
  const ports = { engine: lab.backend, kernel };
  const command = ["/bin/busybox", "nc", "-ll", "-p", `${PORT}`, "-e", "/bin/cat"];
  const aim = await aimAt(wantedOf({ owner: OWNER, image: lab.image, command }), kernel);
  await applyBoundary(aim, { ...ports, onStage: () => undefined });
  const look = async () => {
    const seen = await see(aim, ports);
    const strays = strayPorts(aim, seen);
    const proof = proveBoundary(aim, seen);
    return {
      strays: strays.map(describeStrayPort),
      isStarting: mayBeStarting(aim, seen, strays),
      ...{ isProven: isProven(proof), proven: proof.strayPorts, differences: proof.differences },
    };
  };
  const bridge = aim.desired.networks.find(({ spec }) => spec.name === `${OWNER}-dmz`)?.spec.bridge;
  const clean = { strays: [], isStarting: true, isProven: true, proven: [], differences: [] };

  assert.deepEqual(await look(), clean, "control: the engine's own ports alone");

  await t.test("a pair's end, whose other end is anywhere", async (each) => {
    const stranger = await LabNode.open(each);
    await lab.run([
      ...["ip", "link", "add", "hand", "type", "veth", "peer", "name", "eth0"],
      ...["netns", `${stranger.pid}`],
    ]);
    await lab.run(["ip", "link", "set", "hand", "master", `${bridge}`, "up"]);
    stranger.ip(`address add ${OWN}/24 dev eth0`, "link set eth0 up");
    assert.deepEqual(await look(), {
      ...{ strays: [`port "hand" of bridge ${bridge}`], isStarting: false },
      ...{ isProven: false, proven: [{ bridge, port: "hand" }], differences: [] },
    });
    assert.equal(await stranger.tcp(WEB, PORT), "blocked");
    assert.equal(await stranger.arping(WEB), "blocked");
    const rules = await lab.run(["nft", "list", "ruleset"]);
    await lab.run(["nft", "flush", "ruleset"]);
    assert.equal(await stranger.arping(WEB), "reached", "control: the silence was the rules'");
    assert.equal(await stranger.tcp(WEB, PORT), "reached");
    await lab.run(["ip", "link", "delete", "hand"]);
    assert.notEqual(rules, "");
    await applyBoundary(aim, { ...ports, onStage: () => undefined });
    assert.deepEqual(await look(), clean, "control: it is gone");
  });

  await t.test(
    "one whose other end is beside it, also while a container of the bridge is down",
    async () => {
      await lab.run(["ip", "link", "add", "beside", "type", "veth", "peer", "name", "other"]);
      await lab.run(["ip", "link", "set", "beside", "up"]);
      assert.deepEqual(await look(), clean, "control: upon no bridge");
      await lab.run(["ip", "link", "set", "beside", "master", `${bridge}`]);
      const { strays, isStarting } = await look();
      assert.deepEqual([strays, isStarting], [[`port "beside" of bridge ${bridge}`], false]);
      await lab.docker("kill", `${OWNER}-web`);
      const down = await look();
      assert.deepEqual([down.strays, down.isStarting], [strays, true], "it could be web's");
      await lab.run(["ip", "link", "delete", "beside"]);
      assert.deepEqual((await look()).strays, []);
    },
  );

  await t.test("and none while a container starts and ends over and over", async () => {
    const name = `${OWNER}-web`;
    let isOver = false;
    const restarts = async (): Promise<void> => {
      for (let times = 0; times < 6; times += 1) {
        await lab.docker("start", name);
        await lab.docker("kill", name);
      }
      isOver = true;
    };
    const looks = async (): Promise<number> => {
      let between = 0;
      while (!isOver) {
        const seen = await see(aim, ports);
        const strays = strayPorts(aim, seen);
        if (strays.length > 0) between += 1;
        assert.ok(mayBeStarting(aim, seen, strays), JSON.stringify(strays));
      }
      return between;
    };
    const [, between] = await Promise.all([restarts(), looks()]);
    t.diagnostic(`${between} looks came between a port and its container`);
  });
});
