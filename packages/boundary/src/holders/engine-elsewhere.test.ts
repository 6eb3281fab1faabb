import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { temporaryDirectory } from "@drydock/testkit";
import { openNamespace } from "../nft/index.js";
import { startEngineLab } from "../testing/index.js";
import { requireEngineInside } from "./engine-process.js";

const labIn = async (t: TestContext) => {
  const lab = await startEngineLab(t);
  const namespace = openNamespace({ kind: "netns", path: lab.namespace });
  t.after(() => namespace[Symbol.dispose]());
  const networkOf = async () => {
    await lab.docker(
      ...["network", "create", "--subnet", "10.88.0.0/24"],
      ...["--opt", "com.docker.network.bridge.name=dd-alike", "alike"],
    );
    const [link] = JSON.parse(await lab.run(["ip", "-json", "address", "show", "dd-alike"]));
    return [link.ifindex, link.addr_info[0].local];
  };
  return { lab, namespace, networkOf };
};

test("an engine of another namespace is refused, however alike the two are", async (t) => {
  const [one, other] = [await labIn(t), await labIn(t)];
  assert.deepEqual(await one.networkOf(), await other.networkOf(), "all that was compared before");

  await requireEngineInside(one.namespace, one.lab.socket);
  await requireEngineInside(other.namespace, other.lab.socket);
  const elsewhere = { code: "APPLY_ENGINE_ELSEWHERE" };
  await assert.rejects(requireEngineInside(one.namespace, other.lab.socket), elsewhere);
  await assert.rejects(requireEngineInside(other.namespace, one.lab.socket), elsewhere);

  const directory = temporaryDirectory(t);
  const [link, wrong] = [join(directory, "own.sock"), join(directory, "other.sock")];
  symlinkSync(one.lab.socket, link);
  symlinkSync(other.lab.socket, wrong);
  await requireEngineInside(one.namespace, link);
  await assert.rejects(requireEngineInside(one.namespace, wrong), elsewhere);

  // Whoever passes on what it's told may be anywhere, and pass it to anybody.
  const relay = join(directory, "relay.sock");
  const server = createServer().listen(relay);
  t.after(() => void server.close());
  await assert.rejects(requireEngineInside(one.namespace, relay), elsewhere);
  await assert.rejects(requireEngineInside(one.namespace, join(directory, "none.sock")), elsewhere);
});
