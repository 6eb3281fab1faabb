import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { assertNoticed, temporaryDirectory } from "@drydock/testkit";
import { testNetwork } from "../ruleset/testing/network.js";
import { permitChanges } from "./host-namespace.js";
import { openNamespace, startTimeOf } from "./namespace.js";

/** The tests run where PID 1 does; its own file can't be opened on every machine. */
const HOST = "/proc/self/ns/net";

describe("a network namespace", () => {
  it("is the one that a path is mounted on, and stays it when the name goes to another", (t) => {
    const network = testNetwork(t);
    using namespace = openNamespace({ kind: "netns", path: network.path });
    network.recreate();
    using another = openNamespace({ kind: "netns", path: network.path });
    assert.notEqual(another.identity, namespace.identity);
    assert.throws(() => openNamespace({ kind: "netns", path: `${network.path}-not` }), {
      code: "NAMESPACE_GONE",
    });
  });

  it("is no file of another kind, and a pipe isn't waited for", (t) => {
    const directory = temporaryDirectory(t);
    const pipe = join(directory, "pipe");
    execFileSync("mkfifo", [pipe]);
    for (const path of [pipe, directory, fileURLToPath(import.meta.url)])
      assert.throws(() => openNamespace({ kind: "netns", path }), {
        code: "NAMESPACE_GONE",
        message: /another kind of file/,
      });
    openNamespace({ kind: "netns", path: testNetwork(t).path })[Symbol.dispose]();
  });

  it("is a process's, as long as it's the process that was meant", async (t) => {
    const child = spawn("cat", [], { stdio: ["pipe", "ignore", "ignore"] });
    t.after(async () => {
      child.stdin.end();
      await once(child, "close");
    });
    const pid = child.pid ?? 0;
    const startTime = startTimeOf(pid) ?? 0;
    openNamespace({ kind: "pid", pid, startTime })[Symbol.dispose]();
    assert.throws(() => openNamespace({ kind: "pid", pid, startTime: startTime - 1 }), {
      code: "NAMESPACE_GONE",
    });
  });

  it("of PID 1 may not be changed, unless the policy says so", (t) => {
    const network = testNetwork(t);
    using ours = openNamespace({ kind: "netns", path: network.path });
    assert.equal(permitChanges(ours, { allowHostNetwork: false }), ours, "control");
    using host = openNamespace({ kind: "netns", path: HOST });
    assert.throws(() => permitChanges(host, { allowHostNetwork: false }), {
      code: "NAMESPACE_HOST",
    });
    assert.equal(permitChanges(host, { allowHostNetwork: true }), host);
  });

  it("is guarded: without the guard a test fails", { skip: isSwapped() }, () => {
    assertNoticed(
      new URL(import.meta.url),
      [
        {
          module: "packages/boundary/dist/nft/host-namespace.js",
          source: "export const permitChanges = (namespace) => namespace;",
        },
      ],
      "of PID 1 may not be changed",
    );
  });
});

/** This file starts itself once more with the guard taken out; not again from there. */
function isSwapped(): boolean {
  return process.env["DRYDOCK_TEST_SWAPS"] !== undefined;
}
