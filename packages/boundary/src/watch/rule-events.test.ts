import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { testNetwork } from "../ruleset/testing/network.js";

const MODULES = new URL("../", import.meta.url).href;
const DEADLINE_MS = 20_000;

/** Monitors below a process, by the parent that each has. */
const monitorsOf = (parent: number): readonly number[] =>
  readdirSync("/proc")
    .filter((name) => /^[0-9]+$/.test(name))
    .filter((pid) => {
      try {
        const [, after = ""] = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ");
        const command = readFileSync(`/proc/${pid}/cmdline`, "latin1");
        return Number(after.split(" ")[1]) === parent && /nft\0monitor/.test(command);
      } catch {
        // It ended while it was looked at.
        return false;
      }
    })
    .map(Number);

const isAlive = (pid: number): boolean => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "latin1"));
  } catch {
    return false;
  }
};

const until = async (what: string, holds: () => boolean): Promise<void> => {
  for (const end = Date.now() + DEADLINE_MS; !holds(); await pause(20))
    assert.ok(Date.now() < end, what);
};

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
  await until("a monitor", () => monitorsOf(pid).length === 1);
  const heard = once(watcher.stdout, "data");
  // It listens from some moment on: a change after it is heard.
  const changing = setInterval(() => network.nft("add table inet t; delete table inet t"), 200);
  await heard;
  clearInterval(changing);
  const [monitor] = monitorsOf(pid);
  assert.ok(monitor !== undefined);
  watcher.kill("SIGKILL");
  await until("the monitor to be gone", () => !isAlive(monitor));
});
