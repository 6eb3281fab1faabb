import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Digest } from "@drydock/evidence";
import { temporaryDirectory } from "@drydock/testkit";
import { openKept, startKeeper, stopKeepers } from "../qemu/keeper.js";
import { testNative } from "../testing/lab.js";
import { type LaunchSpec, launch, type MountStep } from "./launch.js";
import { identifyProcess, isProcessAlive, type ProcessIdentity } from "./process.js";
import { vmmUid } from "./uids.js";

const UID = vmmUid(1000);

describe("the native launcher", () => {
  let native: string;
  before(async () => {
    native = await testNative();
  });

  const specOf = (
    program: string,
    argv: readonly string[],
    changes: Partial<LaunchSpec>,
  ): LaunchSpec => ({
    native,
    program,
    argv,
    environment: {},
    namespaces: [],
    root: null,
    mounts: [],
    credentials: null,
    cgroups: [],
    limits: {},
    dieWithParent: true,
    stdio: ["ignore", "pipe", "pipe"],
    descriptors: [],
    listeners: [],
    sealedMemory: null,
    ...changes,
  });

  const run = async (
    script: string,
    changes: Partial<LaunchSpec> = {},
  ): Promise<{ code: number | null; out: string; err: string }> => {
    const texts = { out: "", err: "" };
    const spec = specOf("/bin/sh", ["-c", script], changes);
    const { exited } = await launch(spec, ({ stdout, stderr }) => {
      stdout?.setEncoding("utf8").on("data", (text: string) => {
        texts.out += text;
      });
      stderr?.setEncoding("utf8").on("data", (text: string) => {
        texts.err += text;
      });
    });
    const { code } = await exited;
    return { code, ...texts };
  };

  const privateRoot = (t: { after(fn: () => void): void }): Partial<LaunchSpec> => {
    const root = join(temporaryDirectory(t), "root");
    mkdirSync(root);
    const mounts: readonly MountStep[] = [
      { kind: "ro", source: "/usr", target: "/usr" },
      { kind: "link", to: "usr/lib", target: "/lib" },
      { kind: "link", to: "usr/lib64", target: "/lib64" },
      { kind: "link", to: "usr/bin", target: "/bin" },
      { kind: "dev" },
    ];
    return { namespaces: ["mnt"], root, mounts };
  };

  test("hands through the program's exit status", async () => {
    assert.equal((await run("exit 7")).code, 7);
  });

  test("gives the program the listed environment and nothing of ours", async () => {
    const { out } = await run("env", { environment: { ONLY: "this" } });
    // The shell itself adds PWD.
    assert.deepEqual(
      out.split("\n").filter((line) => line !== "" && !line.startsWith("PWD=")),
      ["ONLY=this"],
    );
  });

  test("takes away every privilege, which a launch without credentials keeps", async () => {
    const status = "grep -E '^(Uid|Gid|Groups|Cap|NoNewPrivs)' /proc/self/status";
    const dropped = (await run(status, { credentials: { uid: UID, gid: UID } })).out;
    assert.match(dropped, new RegExp(`^Uid:\t${UID}\t${UID}\t${UID}\t${UID}$`, "m"));
    assert.match(dropped, /^Groups:\s*$/m);
    for (const set of ["Inh", "Prm", "Eff", "Bnd", "Amb"]) {
      assert.match(dropped, new RegExp(`^Cap${set}:\t0+$`, "m"));
    }
    assert.match(dropped, /^NoNewPrivs:\t1$/m);
    assert.doesNotMatch((await run(status)).out, /^CapEff:\t0+$/m);
  });

  test("leaves the sealer the right to read anything, and to write nothing", async (t) => {
    const directory = temporaryDirectory(t);
    const secret = join(directory, "secret");
    writeFileSync(secret, "text", { mode: 0o600 });
    const script = `cat ${secret}; echo x > ${secret}`;
    const plain = await run(script, { credentials: { uid: UID, gid: UID } });
    assert.equal(plain.out, "");
    const reader = await run(script, { credentials: { uid: UID, gid: UID, readAnything: true } });
    assert.equal(reader.out, "text");
    assert.match(reader.err, /Permission denied|cannot create/);
  });

  test("shows exactly the given root, all of it read-only", async (t) => {
    const { out, err } = await run(
      "for path in /* /dev/*; do echo $path; done; touch /new /usr/new /dev/new; test -w /dev/null && echo writable",
      { ...privateRoot(t), credentials: { uid: UID, gid: UID } },
    );
    assert.deepEqual(out.trim().split("\n").slice(0, -1), [
      ...["/bin", "/dev", "/lib", "/lib64", "/usr"],
      ...["/dev/null", "/dev/urandom", "/dev/zero"],
    ]);
    assert.match(out, /writable\n$/);
    assert.equal(err.match(/Read-only file system/g)?.length, 3);
  });

  test("has namespaces of its own for what was asked, and ours for the rest", async () => {
    const names = ["mnt", "net", "ipc", "uts"] as const;
    const { out } = await run(
      `readlink ${names.map((name) => `/proc/self/ns/${name}`).join(" ")}`,
      {
        namespaces: ["net", "ipc"],
      },
    );
    const [mnt, net, ipc, uts] = out.split("\n");
    assert.equal(mnt, readlinkSync("/proc/self/ns/mnt"));
    assert.equal(uts, readlinkSync("/proc/self/ns/uts"));
    assert.notEqual(net, readlinkSync("/proc/self/ns/net"));
    assert.notEqual(ipc, readlinkSync("/proc/self/ns/ipc"));
  });

  test("is alone in a process namespace, and everything in it dies with the supervisor", async (t) => {
    const { child, pid } = await launch(
      specOf("/bin/sh", ["-c", "echo $$; sleep 1000 & wait"], {
        ...privateRoot(t),
        namespaces: ["mnt", "pid"],
      }),
    );
    const [first] = (
      await new Promise<string>((resolve) =>
        child.stdout?.once("data", (data) => resolve(String(data))),
      )
    ).split("\n");
    assert.equal(first, "1");
    child.kill("SIGKILL");
    await new Promise((resolve) => child.once("close", resolve));
    assert.equal(identifyProcess(pid), undefined);
  });

  test("closes every descriptor that isn't listed", async (t) => {
    const directory = temporaryDirectory(t);
    writeFileSync(join(directory, "kept"), "");
    const kept = openSync(join(directory, "kept"), "r");
    try {
      const { out } = await run(
        "ls /proc/self/fd | sort -n | tr '\\n' ' '; readlink /proc/$$/fd/3",
        {
          descriptors: [kept],
        },
      );
      // 0–2, the kept one, and the directory that ls itself reads.
      assert.match(out, /^0 1 2 3 4 .*\/kept\n$/);
    } finally {
      closeSync(kept);
    }
  });

  test("makes listening sockets of root's that one group may use", async (t) => {
    const directory = mkdtempSync(join(tmpdir(), "dd-"));
    t.after(() => rmSync(directory, { recursive: true }));
    const path = join(directory, "socket");
    const launched = await launch(
      specOf("/bin/sleep", ["1000"], {
        credentials: { uid: UID, gid: UID },
        listeners: [{ number: 20, gid: UID + 1, path }],
      }),
    );
    t.after(() => launched.child.kill("SIGKILL"));
    const { mode, uid, gid } = statSync(path);
    assert.deepEqual([mode & 0o777, uid, gid], [0o660, 0, UID + 1]);
    await new Promise<void>((resolve, reject) => {
      const socket = connect(path, () => {
        socket.destroy();
        resolve();
      }).once("error", reject);
    });
  });

  test("starts nothing with memory that isn't sealed", async (t) => {
    const directory = temporaryDirectory(t);
    const size = 1024 * 1024;
    const memory: Digest = `sha256:${"0".repeat(64)}`;
    const keeper = await startKeeper(native, directory, "key", size);
    const open = openSync(keeper.path, "r+");
    const changes = { descriptors: [open], sealedMemory: { descriptor: 3, bytes: size } };
    await assert.rejects(run("exit 0", changes), { code: "LAUNCH_FAILED", message: /not sealed/ });
    await keeper.publish(memory);
    assert.equal((await run("exit 0", changes)).code, 0);
    const wrongSize = { ...changes, sealedMemory: { descriptor: 3, bytes: size + 1 } };
    await assert.rejects(run("exit 0", wrongSize), { message: /wrong size/ });
    closeSync(open);
    const other: Digest = `sha256:${"1".repeat(64)}`;
    assert.equal(openKept(directory, "key", { bytes: size, memory: other }), undefined);
    const kept = openKept(directory, "key", { bytes: size, memory });
    assert.ok(kept !== undefined);
    closeSync(kept);
    assert.deepEqual(stopKeepers(directory), { stopped: 1, unreadable: [] });
    assert.equal(openKept(directory, "key", { bytes: size, memory }), undefined);
  });

  test("dies with the process that started it, and lives on when it wasn't asked to", async (t) => {
    const script = fileURLToPath(new URL("../testing/launch-sleeper.js", import.meta.url));
    const orphan = async (bound: "bound" | "free"): Promise<ProcessIdentity> => {
      const parent = spawn(process.execPath, [script, native, String(UID), bound], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      t.after(() => parent.kill("SIGKILL"));
      const [said] = await once(parent.stdout, "data");
      const sleeper = identifyProcess(Number(said));
      assert.ok(sleeper !== undefined && isProcessAlive(sleeper), "it lives while its parent does");
      t.after(() => {
        if (isProcessAlive(sleeper)) process.kill(sleeper.pid, "SIGKILL");
      });
      const gone = once(parent, "exit");
      parent.kill("SIGKILL");
      await gone;
      return sleeper;
    };
    const [bound, free] = [await orphan("bound"), await orphan("free")];
    for (let waited = 0; isProcessAlive(bound) && waited < 5_000; waited += 10) await delay(10);
    assert.equal(isProcessAlive(bound), false);
    assert.equal(isProcessAlive(free), true, "the control differs in the signal alone");
  });

  test("names the step that failed", async () => {
    await assert.rejects(run("true", { cgroups: ["/nowhere/cgroup.procs"] }), {
      code: "LAUNCH_FAILED",
      message: /cgroup \/nowhere/,
    });
    await assert.rejects(launch(specOf("/no/such/program", [], {})), {
      code: "LAUNCH_FAILED",
      message: /exec \/no\/such\/program/,
    });
  });

  test("follows no symbolic link at the end of a mount's source", async (t) => {
    const directory = temporaryDirectory(t);
    symlinkSync("/etc", join(directory, "link"));
    const root = privateRoot(t);
    const mounts: readonly MountStep[] = [
      ...(root.mounts ?? []),
      { kind: "ro", source: join(directory, "link"), target: "/link" },
    ];
    await assert.rejects(run("true", { ...root, mounts }), { message: /is a symbolic link/ });
  });
});
