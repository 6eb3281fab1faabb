import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { testNetwork } from "../ruleset/testing/network.js";
import { childrenOf, isAlive, until } from "./testing/children.js";

const MODULES = new URL("../", import.meta.url).href;

/** Programs that stay, one of them stopped so that it sees no end of its input, and one that is run. */
const PROGRAM = `
  const { openNamespace, permitChanges } = await import("MODULESnft/index.js");
  const { inside } = await import("MODULESnft/inside.js");
  const { Resident } = await import("MODULESnft/resident.js");
  const opened = openNamespace({ kind: "netns", path: "NAMESPACE" });
  const namespace = permitChanges(opened, { allowHostNetwork: false });
  const stay = (tool, args) => new Resident(namespace, tool, args, { maxBytes: 1 << 20 });
  await stay("nft", ["-j", "-i"]).ask("list tables");
  await stay("ip", ["-json", "-force", "-batch", "-"]).ask("link show lo");
  await stay("bash", ["-c", "while read -r line; do echo $line; done"]).ask("one");
  await stay("bash", ["-c", "read -r line; echo up; kill -STOP $$"]).ask("one");
  inside(namespace, "ip", ["monitor"]).catch(() => undefined);
  console.log("up");
`;

test("whoever is killed leaves no program behind in the namespace", async (t) => {
  const network = testNetwork(t);
  const program = PROGRAM.replaceAll("MODULES", MODULES).replace("NAMESPACE", network.path);
  const helper = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => helper.kill("SIGKILL"));
  const { pid } = helper;
  assert.ok(pid !== undefined);
  await once(helper.stdout, "data");
  const left = () => childrenOf(pid, /nft -j -i|ip -json|bash -c|ip monitor/);
  await until("five programs", () => left().filter(isAlive).length === 5);
  const programs = left();
  helper.kill("SIGKILL");
  await until("all of them to be gone", () => !programs.some(isAlive));
});
