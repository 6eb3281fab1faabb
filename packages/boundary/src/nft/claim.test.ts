import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { it } from "node:test";
import { testNetwork } from "../ruleset/testing/network.js";
import { claimNamespace } from "./claim.js";
import { openNamespace, startTimeOf } from "./namespace.js";

it("a namespace is changed by one at a time, watched by several, and free when they are gone", async (t) => {
  const network = testNetwork(t);
  const open = () => openNamespace({ kind: "netns", path: network.path });
  const busy = { code: "NAMESPACE_BUSY" };
  {
    using first = open();
    using second = open();
    await claimNamespace(first, "change");
    await assert.rejects(claimNamespace(second, "change"), busy);
    await assert.rejects(claimNamespace(second, "watch"), busy);
  }
  {
    using first = open();
    using second = open();
    using third = open();
    await claimNamespace(first, "watch");
    await claimNamespace(second, "watch");
    await assert.rejects(claimNamespace(third, "change"), busy);
  }
  using last = open();
  await claimNamespace(last, "change");
});

it("is the same one by whatever it is called, and another is another", async (t) => {
  const network = testNetwork(t);
  const inside = spawn("nsenter", [`--net=${network.path}`, "--", "cat"], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  t.after(() => inside.kill("SIGKILL"));
  // It answers from within.
  inside.stdin.write("\n");
  await once(inside.stdout, "data");
  const pid = inside.pid ?? 0;
  using byName = openNamespace({ kind: "netns", path: network.path });
  using byProcess = openNamespace({ kind: "pid", pid, startTime: startTimeOf(pid) ?? 0 });
  await claimNamespace(byName, "change");
  await assert.rejects(claimNamespace(byProcess, "change"), { code: "NAMESPACE_BUSY" });
  using other = openNamespace({ kind: "netns", path: testNetwork(t).path });
  await claimNamespace(other, "change");
});

it("is busy until what its user ran in there has ended as well", async (t) => {
  const network = testNetwork(t);
  const user = openNamespace({ kind: "netns", path: network.path });
  await claimNamespace(user, "change");
  // As a program that was started in the namespace has it.
  const left = spawn("cat", { stdio: ["pipe", "ignore", "ignore", user.descriptor] });
  t.after(() => left.kill("SIGKILL"));
  user[Symbol.dispose]();
  using next = openNamespace({ kind: "netns", path: network.path });
  await assert.rejects(claimNamespace(next, "change"), { code: "NAMESPACE_BUSY" });
  const ended = once(left, "close");
  left.stdin?.end();
  await ended;
  await claimNamespace(next, "change");
});
