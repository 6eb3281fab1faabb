import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, it, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { temporaryDirectory } from "@drydock/testkit";
import { SEAL_LIMITS } from "../limits.js";
import { sealSource } from "../seal.js";
import { git, makePorts, makeRepository, seal, sealHead } from "../testing/fixture.js";
import { serveRepositories } from "../testing/http-git.js";
import { createVault, vaultCall } from "../vault/vault.js";
import { directGitRunner } from "./direct-runner.js";
import type { GitNetwork } from "./environment.js";
import { findSystemPaths, jailedGitRunner, SEALER_ID } from "./jailed-runner.js";
import { runGit } from "./run.js";
import type { GitRunner } from "./runner.js";

const NATIVE = fileURLToPath(new URL("../../../../vm/native/drydock-native.c", import.meta.url));
const OWNER = { uid: SEALER_ID, gid: SEALER_ID };
const rootOnly =
  process.getuid?.() === 0 ? false : "the launcher needs root; doctor reports the same";

const build = mkdtempSync(join(tmpdir(), "drydock-test-"));
const launcher = join(build, "drydock-native");
before(() => execFileSync("cc", ["-O1", "-static", "-o", launcher, NATIVE]));
after(() => rmSync(build, { recursive: true }));

const makeJail = (test: TestContext): GitRunner => {
  const root = temporaryDirectory(test);
  return jailedGitRunner({ launcher, root, system: findSystemPaths() });
};

/** Runs a shell command where git runs, by an alias: the shortest way to look around in there. */
const shell = async (
  runner: GitRunner,
  test: TestContext,
  command: string,
  work?: string,
  network: GitNetwork = "none",
) => {
  const vault = createVault(join(makePorts(test).workspace, "vault"), "sha1", OWNER);
  const { stdout, exit } = await runGit(
    runner,
    vaultCall(vault, SEAL_LIMITS, ["-c", `alias.probe=!${command}`, "probe"], {
      network,
      ...(work === undefined ? {} : { workTree: work }),
    }),
  );
  return { output: stdout.toString("utf8").trim(), exit, vault };
};

describe("the git jail", { skip: rootOnly }, () => {
  it("seals a checkout that only root can read, as the same bytes as without a jail", async (test) => {
    const repository = makeRepository(test);
    for (const directory of [repository, join(repository, ".git")]) chmodSync(directory, 0o700);
    const plain = await sealHead(test, repository);
    const jailed = await sealHead(test, repository, { git: makeJail(test), vaultOwner: OWNER });
    assert.equal(jailed.archive.digest, plain.archive.digest);
    assert.deepEqual(jailed.notes, plain.notes);

    const ports = makePorts(test, { git: directGitRunner(OWNER), vaultOwner: OWNER });
    for (const directory of [ports.workspace, dirname(ports.workspace)])
      chmodSync(directory, 0o711);
    const request = { kind: "directory", path: repository, ref: "HEAD" } as const;
    await assert.rejects(
      sealSource(request, ports),
      { code: "REF_NOT_FOUND" },
      "control: the same user without the capability to read finds no object",
    );
  });

  it("runs git as a user of its own, with one capability: to read", async (test) => {
    const jail = makeJail(test);
    const { output } = await shell(
      jail,
      test,
      "id -u; id -g; id -G; exec python3 -c 'import ctypes; l=ctypes.CDLL(None); print([c for c in range(41) if l.prctl(47,1,c,0,0)==1], l.prctl(39,0,0,0,0))'",
    );
    const id = String(SEALER_ID);
    // 2 is CAP_DAC_READ_SEARCH; the last number is no_new_privs.
    assert.deepEqual(output.split("\n"), [id, id, id, "[2] 1"]);
  });

  it("lets git write the vault and nothing of the source", async (test) => {
    const work = makeRepository(test);
    chmodSync(work, 0o777);
    const jail = makeJail(test);
    const { output, vault } = await shell(
      jail,
      test,
      "echo x > /vault/written; echo x > /work/written; echo x >> /work/a.txt; echo done",
      work,
    );
    assert.equal(output, "done");
    assert.equal(readFileSync(join(vault.path, "written"), "utf8"), "x\n", "positive control");
    assert.equal(existsSync(join(work, "written")), false);
    assert.equal(readFileSync(join(work, "a.txt"), "utf8"), "a\n");
  });

  it("shows git no other file, process or network", async (test) => {
    const outside = temporaryDirectory(test);
    writeFileSync(join(outside, "secret"), "x");
    const { output } = await shell(
      makeJail(test),
      test,
      `ls / | tr '\\n' ' '; ls ${outside} /root /home /proc /sys 2>/dev/null | wc -l; exec python3 -c 'import socket; print([n for _, n in socket.if_nameindex()])'`,
    );
    const [listed = "", interfaces] = output.split("\n");
    const names = listed.trim().split(/\s+/);
    assert.equal(names.pop(), "0");
    const system = ["bin", "dev", "etc", "lib", "lib64", "tmp", "usr", "vault"];
    assert.deepEqual(
      names.filter((name) => !system.includes(name)),
      [],
    );
    assert.equal(interfaces, "['lo']");
  });

  it("lets a remote call, and no other, reach the network", async (test) => {
    const repository = makeRepository(test);
    const root = temporaryDirectory(test);
    git(repository, "clone", "-q", "--bare", ".", join(root, "x.git"));
    const url = `${await serveRepositories(test, root)}/x.git`;
    const jail = makeJail(test);
    const ports = { git: jail, vaultOwner: OWNER };
    const sealed = await seal(test, { kind: "remote", url, ref: "HEAD" }, ports);
    assert.equal(sealed.archive.digest, (await sealHead(test, repository)).archive.digest);
    const port = Number(new URL(url).port);
    const dial = `exec python3 -c 'import socket; print(socket.socket().connect_ex(("127.0.0.1", ${port})))'`;
    assert.notEqual((await shell(jail, test, dial)).output, "0");
    assert.equal((await shell(jail, test, dial, undefined, "remote")).output, "0");
  });

  it("ends a call at its deadline with everything it started", async (test) => {
    const jail = makeJail(test);
    const vault = createVault(join(makePorts(test).workspace, "vault"), "sha1", OWNER);
    const marker = `${10_000 + process.pid}.5`;
    const { exit } = await runGit(
      jail,
      vaultCall(
        vault,
        SEAL_LIMITS,
        ["-c", `alias.probe=!sleep ${marker} & sleep ${marker}`, "probe"],
        {
          deadlineMs: 500,
        },
      ),
    );
    assert.equal(exit.kind, "deadline");
    assert.equal(countProcesses(marker), 0);
  });

  it("says so when the launcher or a path is not there", async (test) => {
    const root = temporaryDirectory(test);
    const path = makeRepository(test);
    const missing = jailedGitRunner({ launcher: join(root, "none"), root, system: [] });
    await assert.rejects(seal(test, { kind: "directory", path, ref: "HEAD" }, { git: missing }), {
      code: "GIT_FAILED",
      message: /could not start/,
    });
    const jail = makeJail(test);
    const vault = createVault(join(makePorts(test).workspace, "vault"), "sha1", OWNER);
    const { exit } = await runGit(
      jail,
      vaultCall(vault, SEAL_LIMITS, ["version"], { objects: join(root, "none") }),
    );
    assert.ok(exit.kind === "not-started" && exit.reason.includes("bind source"));
  });

  it("needs a vault that is the sealer's own", async (test) => {
    const jail = makeJail(test);
    const vault = createVault(join(makePorts(test).workspace, "vault"), "sha1", OWNER);
    const write = async (text: string) =>
      (await runGit(jail, vaultCall(vault, SEAL_LIMITS, ["hash-object", "-w", "--stdin"]), text))
        .exit;
    assert.deepEqual(await write("x"), { kind: "exited", code: 0, stderr: "" });
    for (const name of readdirSync(join(vault.path, "objects"))) {
      chownSync(join(vault.path, "objects", name), 0, 0);
    }
    chownSync(join(vault.path, "objects"), 0, 0);
    const refused = await write("y");
    assert.ok(refused.kind === "exited" && refused.code !== 0);
  });
});

const countProcesses = (marker: string): number =>
  readdirSync("/proc").filter((name) => {
    if (!/^[0-9]+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/cmdline`, "latin1").includes(marker);
    } catch {
      // The process ended while /proc was being read: it does not count.
      return false;
    }
  }).length;
