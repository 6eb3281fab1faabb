import assert from "node:assert/strict";
import { chmodSync, existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { temporaryDirectory } from "@drydock/testkit";
import { directGitRunner } from "./git/direct-runner.js";
import { runGit } from "./git/run.js";
import { SEAL_LIMITS } from "./limits.js";
import {
  git,
  listArchive,
  makeRepository,
  sealHead,
  tryGit,
  writeFiles,
} from "./testing/fixture.js";
import { createVault, vaultCall } from "./vault/vault.js";

/**
 * Each trap is a repository that makes git write a canary file. The positive control springs it
 * with ordinary git; then the same repository is sealed and the canary must stay absent.
 */
interface Trap {
  readonly name: string;
  /** Arms the trap; `canary` is a shell command that writes the canary file. */
  readonly arm: (repository: string, canary: string) => void;
  /** Ordinary use that springs it. */
  readonly spring: (repository: string, canary: string) => void;
}

const hook = (repository: string, name: string, command: string): void => {
  writeFileSync(join(repository, ".git/hooks", name), `#!/bin/sh\n${command}\n`);
  chmodSync(join(repository, ".git/hooks", name), 0o755);
};

const touchTrackedFile = (repository: string): void =>
  writeFileSync(join(repository, "a.txt"), "changed\n");

const TRAPS: readonly Trap[] = [
  {
    name: "core.fsmonitor in the repository's configuration",
    arm: (repository, canary) => git(repository, "config", "core.fsmonitor", `${canary}; false`),
    spring: (repository) => tryGit(repository, "status"),
  },
  {
    name: "a clean filter named by .gitattributes",
    arm: (repository, canary) => {
      git(repository, "config", "filter.trap.clean", `${canary}; cat`);
      writeFiles(repository, { ".gitattributes": "* filter=trap\n" });
      touchTrackedFile(repository);
    },
    spring: (repository) => tryGit(repository, "add", "-A"),
  },
  {
    name: "a smudge filter named by .gitattributes",
    arm: (repository, canary) => {
      writeFiles(repository, { ".gitattributes": "*.txt filter=trap\n" });
      git(repository, "add", "-A");
      git(repository, "commit", "-q", "-m", "attributes");
      git(repository, "config", "filter.trap.smudge", `${canary}; cat`);
    },
    spring: (repository) => tryGit(repository, "worktree", "add", "-f", join(repository, "wt")),
  },
  {
    name: "a long-running filter process",
    arm: (repository, canary) => {
      git(repository, "config", "filter.trap.process", canary);
      writeFiles(repository, { ".gitattributes": "* filter=trap\n" });
      touchTrackedFile(repository);
    },
    spring: (repository) => tryGit(repository, "add", "-A"),
  },
  {
    name: "the hook post-checkout",
    arm: (repository, canary) => hook(repository, "post-checkout", canary),
    spring: (repository) => tryGit(repository, "checkout", "-q", "-b", "other"),
  },
  {
    name: "the hook post-index-change",
    arm: (repository, canary) => hook(repository, "post-index-change", canary),
    // Without a change git writes an index only in the second after the last one.
    spring: (repository) => {
      touchTrackedFile(repository);
      tryGit(repository, "add", "-A");
    },
  },
  {
    name: "the hook reference-transaction",
    arm: (repository, canary) => hook(repository, "reference-transaction", canary),
    spring: (repository) => tryGit(repository, "branch", "other"),
  },
  {
    name: "core.hooksPath in the repository's configuration",
    arm: (repository, canary) => {
      writeFiles(repository, { "hooks/reference-transaction": `#!/bin/sh\n${canary}\n` });
      chmodSync(join(repository, "hooks/reference-transaction"), 0o755);
      git(repository, "config", "core.hooksPath", "hooks");
    },
    spring: (repository) => tryGit(repository, "branch", "other"),
  },
  {
    name: "uploadpack.packObjectsHook and an alias, by an included file",
    arm: (repository, canary) => {
      writeFiles(repository, { extra: `[alias]\n\tstate = !${canary}\n` });
      git(repository, "config", "include.path", "../extra");
    },
    spring: (repository) => tryGit(repository, "state"),
  },
  {
    name: "core.sshCommand with a remote of its own",
    arm: (repository, canary) => {
      git(repository, "remote", "add", "origin", "ssh://127.0.0.1/x");
      git(repository, "config", "core.sshCommand", `${canary}; false`);
    },
    spring: (repository) => tryGit(repository, "fetch", "origin"),
  },
  {
    name: "an ext:: remote",
    arm: (repository, canary) => {
      git(repository, "remote", "add", "origin", `ext::sh -c ${canary.replaceAll(" ", "% ")}`);
      git(repository, "config", "protocol.ext.allow", "always");
    },
    spring: (repository) => tryGit(repository, "fetch", "origin"),
  },
];

/** Things that the caller's environment can do to git. */
const ENVIRONMENT: readonly [string, (repository: string, canary: string) => NodeJS.ProcessEnv][] =
  [
    [
      "GIT_CONFIG_PARAMETERS",
      (_repository, canary) => ({ GIT_CONFIG_PARAMETERS: `'core.fsmonitor'='${canary}; false'` }),
    ],
    [
      "GIT_CONFIG_COUNT",
      (_repository, canary) => ({
        GIT_CONFIG_COUNT: "1",
        GIT_CONFIG_KEY_0: "core.fsmonitor",
        GIT_CONFIG_VALUE_0: `${canary}; false`,
      }),
    ],
    [
      "GIT_CONFIG_GLOBAL",
      (repository, canary) => {
        writeFileSync(
          join(repository, ".git/global"),
          `[core]\n\tfsmonitor = "${canary}; false"\n`,
        );
        return { GIT_CONFIG_GLOBAL: join(repository, ".git/global") };
      },
    ],
    // No configuration could switch this one off: only an environment built from nothing does.
    ["GIT_TRACE", (_repository, canary) => ({ GIT_TRACE: canary.replace("touch ", "") })],
    [
      "HOME with a .gitconfig",
      (repository, canary) => {
        writeFileSync(
          join(repository, ".git/.gitconfig"),
          `[core]\n\tfsmonitor = "${canary}; false"\n`,
        );
        return { HOME: join(repository, ".git") };
      },
    ],
  ];

const prepare = (test: TestContext) => {
  const repository = makeRepository(test);
  const canaryFile = join(temporaryDirectory(test), "canary");
  return { repository, canaryFile, canary: `touch ${canaryFile}` };
};

describe("a source repository cannot make sealing run anything", () => {
  for (const trap of TRAPS) {
    it(trap.name, async (test) => {
      const control = prepare(test);
      trap.arm(control.repository, control.canary);
      trap.spring(control.repository, control.canary);
      assert.ok(existsSync(control.canaryFile), "positive control: ordinary git springs the trap");

      const { repository, canaryFile, canary } = prepare(test);
      trap.arm(repository, canary);
      const sealed = await sealHead(test, repository);
      assert.equal(sealed.identity.claim, "commit");
      assert.equal(existsSync(canaryFile), false, "the canary was written while sealing");
    });
  }
});

describe("the caller's environment cannot reach git", () => {
  const withEnvironment = async <T>(changes: NodeJS.ProcessEnv, run: () => Promise<T>) => {
    const before = { ...process.env };
    Object.assign(process.env, changes);
    try {
      return await run();
    } finally {
      for (const name of Object.keys(changes)) delete process.env[name];
      Object.assign(process.env, before);
    }
  };

  for (const [name, make] of ENVIRONMENT) {
    it(`ignores ${name}`, async (test) => {
      const { repository, canaryFile, canary } = prepare(test);
      await withEnvironment(make(repository, canary), async () => {
        tryGit(repository, "status");
        assert.ok(existsSync(canaryFile), "positive control");
      });
      const again = prepare(test);
      const sealed = await withEnvironment(make(again.repository, again.canary), () =>
        sealHead(test, again.repository),
      );
      assert.equal(existsSync(again.canaryFile), false);
      assert.equal(sealed.archive.counts.files, 2);
    });
  }

  it("ignores GIT_DIR, GIT_WORK_TREE, GIT_INDEX_FILE and object directories", async (test) => {
    const other = makeRepository(test, { "other.txt": "other\n" });
    const repository = makeRepository(test);
    const sealed = await withEnvironment(
      {
        GIT_DIR: join(other, ".git"),
        GIT_WORK_TREE: other,
        GIT_INDEX_FILE: join(other, ".git/index"),
        GIT_OBJECT_DIRECTORY: join(other, ".git/objects"),
        GIT_COMMON_DIR: join(other, ".git"),
        GIT_EXTERNAL_DIFF: "false",
        GIT_REPLACE_REF_BASE: "refs/heads/",
      },
      () => sealHead(test, repository),
    );
    assert.deepEqual(await listArchive(sealed.archive.path), [
      "file 644 a.txt = a\n",
      "directory 755 src/",
      "file 644 src/b.txt = b\n",
    ]);
    assert.deepEqual(sealed.notes, []);
  });
});

describe("git's own options hold even where a configuration is read", () => {
  it("the vault's configuration cannot start a monitor or a hook", async (test) => {
    const { repository, canaryFile, canary } = prepare(test);
    const vault = createVault(join(temporaryDirectory(test), "vault"), "sha1", undefined);
    const plant = `[core]\n\tfsmonitor = "${canary}; false"\n\thooksPath = ${repository}/h\n`;
    writeFileSync(join(vault.path, "config"), plant, { flag: "a" });
    writeFiles(repository, { "h/reference-transaction": `#!/bin/sh\n${canary}\n` });
    chmodSync(join(repository, "h/reference-transaction"), 0o755);
    const runner = directGitRunner();
    const commit = git(repository, "rev-parse", "HEAD");
    const call = (args: string[], workTree?: string) =>
      runGit(
        runner,
        vaultCall(vault, SEAL_LIMITS, args, {
          objects: join(repository, ".git/objects"),
          ...(workTree === undefined ? {} : { workTree }),
        }),
      );
    await call(["read-tree", commit]);
    await call(["status", "--porcelain=v2"], repository);
    await call(["update-ref", "refs/heads/x", commit]);
    assert.equal(existsSync(canaryFile), false);

    tryGit(vault.path, "update-ref", "refs/heads/y", commit);
    tryGit(vault.path, "--work-tree=.", "status");
    assert.ok(existsSync(canaryFile), "positive control: the planted configuration works");
  });

  for (const url of ["ext::sh -c true", "file:///", "git://127.0.0.1/x", "ssh://127.0.0.1/x"]) {
    it(`no call may speak ${url.split(":")[0]}`, async (test) => {
      const vault = createVault(join(temporaryDirectory(test), "vault"), "sha1", undefined);
      const { exit } = await runGit(
        directGitRunner(),
        vaultCall(vault, SEAL_LIMITS, ["ls-remote", url], { network: "remote" }),
      );
      assert.ok(exit.kind === "exited" && exit.code !== 0);
      assert.match(exit.stderr, /transport '\w+' not allowed/);
    });
  }
});

describe("a source repository cannot change what is sealed", () => {
  const expected = ["file 644 a.txt = a\n", "directory 755 src/", "file 644 src/b.txt = b\n"];

  it("replace refs", async (test) => {
    const repository = makeRepository(test);
    const blob = git(repository, "rev-parse", "HEAD:a.txt");
    writeFiles(repository, { evil: "evil\n" });
    git(repository, "replace", blob, git(repository, "hash-object", "-w", "evil"));
    assert.equal(git(repository, "cat-file", "blob", blob), "evil", "positive control");
    const sealed = await sealHead(test, repository);
    assert.deepEqual(await listArchive(sealed.archive.path), expected);
  });

  it("grafts", async (test) => {
    const repository = makeRepository(test);
    writeFileSync(
      join(repository, ".git/info/grafts"),
      `${git(repository, "rev-parse", "HEAD")}\n`,
    );
    const sealed = await sealHead(test, repository);
    assert.deepEqual(await listArchive(sealed.archive.path), expected);
  });

  it("export-ignore, export-subst and end-of-line attributes", async (test) => {
    const repository = makeRepository(test, {
      ".gitattributes": "a.txt export-ignore\n*.txt text eol=crlf ident export-subst\n",
      "a.txt": "a\n",
      "b.txt": "$Format:%H$ $Id$\n",
    });
    const sealed = await sealHead(test, repository);
    assert.deepEqual((await listArchive(sealed.archive.path)).slice(1), [
      "file 644 a.txt = a\n",
      "file 644 b.txt = $Format:%H$ $Id$\n",
    ]);
  });

  it("alternates are refused by name", async (test) => {
    const donor = makeRepository(test);
    const borrower = join(temporaryDirectory(test), "borrower");
    git(donor, "clone", "-q", "--shared", ".", borrower);
    await assert.rejects(sealHead(test, borrower), { code: "SOURCE_ALTERNATES" });
    git(borrower, "repack", "-q", "-a", "-d");
    writeFileSync(join(borrower, ".git/objects/info/alternates"), "");
    assert.equal((await sealHead(test, borrower)).archive.counts.files, 2, "positive control");
  });

  it("a loose object whose contents are another object's is refused", async (test) => {
    const repository = makeRepository(test, { "a.txt": "good\n", "b.txt": "evil\n" });
    const object = (name: string): string => {
      const oid = git(repository, "rev-parse", `HEAD:${name}`);
      return join(repository, ".git/objects", oid.slice(0, 2), oid.slice(2));
    };
    chmodSync(object("a.txt"), 0o644);
    writeFileSync(object("a.txt"), readFileSync(object("b.txt")));
    await assert.rejects(sealHead(test, repository), { code: "SOURCE_CORRUPT" });
  });

  it("a damaged and a missing object are refused", async (test) => {
    const repository = makeRepository(test);
    const oid = git(repository, "rev-parse", "HEAD:a.txt");
    const path = join(repository, ".git/objects", oid.slice(0, 2), oid.slice(2));
    chmodSync(path, 0o644);
    writeFileSync(path, "damaged");
    await assert.rejects(sealHead(test, repository), { code: "SOURCE_CORRUPT" });
    writeFileSync(path, "");
    await assert.rejects(sealHead(test, repository), { code: "SOURCE_CORRUPT" });
  });

  it("a commit-graph that lies about a tree is not read", async (test) => {
    const repository = makeRepository(test);
    git(repository, "commit-graph", "write", "--reachable");
    const graph = join(repository, ".git/objects/info/commit-graph");
    const tree = Buffer.from(git(repository, "rev-parse", "HEAD^{tree}"), "hex");
    const bytes = readFileSync(graph);
    const at = bytes.indexOf(tree);
    assert.ok(at > 0);
    bytes.fill(0x11, at, at + 20);
    chmodSync(graph, 0o644);
    writeFileSync(graph, bytes);
    const sealed = await sealHead(test, repository);
    assert.deepEqual(await listArchive(sealed.archive.path), expected);
  });

  it("objects/pack leading elsewhere by a link holds nothing that is sealed unseen", async (test) => {
    const repository = makeRepository(test);
    git(repository, "gc", "-q");
    const elsewhere = join(temporaryDirectory(test), "pack");
    const { renameSync } = await import("node:fs");
    renameSync(join(repository, ".git/objects/pack"), elsewhere);
    symlinkSync(elsewhere, join(repository, ".git/objects/pack"));
    await assert.rejects(sealHead(test, repository), { code: "REPOSITORY_REDIRECTED" });
  });
});
