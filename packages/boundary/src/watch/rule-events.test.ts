import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { childrenOf, isAlive, until } from "../nft/testing/children.js";
import { testNetwork } from "../ruleset/testing/network.js";

const MODULES = new URL("../", import.meta.url).href;
test("events come for a change of the rules, and whoever is killed leaves no program behind", async (t) => {
  const network = testNetwork(t);
  const program = `
    const { openNamespace } = await import("${MODULES}nft/index.js");
    const { ruleEvents } = await import("${MODULES}watch/rule-events.js");
    const namespace = openNamespace({ kind: "netns", path: ${JSON.stringify(network.path)} });
    for await (const _ of ruleEvents(namespace, new AbortController().signal)) console.log("event");
  `;
  const watcher = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => watcher.kill("SIGKILL"));
  const { pid } = watcher;
  assert.ok(pid !== undefined);
  const monitors = () => childrenOf(pid, /nft monitor/);
  await until("a monitor", () => monitors().length === 1);
  const heard = once(watcher.stdout, "data");
  // It listens from some moment on: a change after it is heard.
  const changing = setInterval(() => network.nft("add table inet t; delete table inet t"), 200);
  await heard;
  clearInterval(changing);
  const [monitor] = monitors();
  assert.ok(monitor !== undefined);
  watcher.kill("SIGKILL");
  await until("the monitor to be gone", () => !isAlive(monitor));
});
