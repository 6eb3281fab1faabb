import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "@drydock/testkit";
import { createDockerBackend } from "./backend.js";

/** It lists one container, and has another answer once it is asked for that. */
const engineAnswering = async (
  t: { after(fn: () => void): void },
  status: number,
): Promise<string> => {
  const socket = join(temporaryDirectory(t), "engine.sock");
  const engine = createServer(({ url }, response) => {
    response.setHeader("content-type", "application/json");
    const isList = url?.includes("/containers/json") ?? false;
    response.statusCode = isList ? 200 : status;
    response.end(JSON.stringify(isList ? [{ Id: "1".repeat(64) }] : { message: "no answer" }));
  }).listen(socket);
  t.after(() => engine.closeAllConnections());
  t.after(() => engine.close());
  await once(engine, "listening");
  return socket;
};

test("a container that is removed while all are asked for isn't one of them", async (t) => {
  const gone = await createDockerBackend(await engineAnswering(t, 404));
  assert.deepEqual(await gone.containers(), []);
  const refused = await createDockerBackend(await engineAnswering(t, 500));
  await assert.rejects(refused.containers(), { code: "ENGINE_REFUSED" }, "control");
});
