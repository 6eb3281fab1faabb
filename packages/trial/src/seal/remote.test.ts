import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { digestOf } from "@drydock/evidence";
import { profile, temporaryDirectory } from "@drydock/testkit";
import fc from "fast-check";
import { sealError } from "./errors.js";
import { ByteReader } from "./io/byte-reader.js";
import { readBundleHeader } from "./source/bundle-header.js";
import { git, makeRepository, seal, sealHead, writeFiles } from "./testing/fixture.js";
import { type Intercept, serveRepositories } from "./testing/http-git.js";

describe("a sealed remote", () => {
  const publish = async (test: TestContext, intercept?: Intercept) => {
    const repository = makeRepository(test);
    git(repository, "tag", "-a", "-m", "v1", "v1");
    git(repository, "commit", "-q", "--allow-empty", "-m", "second");
    const root = temporaryDirectory(test);
    git(repository, "clone", "-q", "--bare", ".", join(root, "x.git"));
    const bare = join(root, "x.git");
    return { repository, bare, url: `${await serveRepositories(test, root, intercept)}/x.git` };
  };

  it("is the same archive as the directory's, with the URL as its remote", async (test) => {
    const { repository, url } = await publish(test);
    const local = await sealHead(test, repository);
    const sealed = await seal(test, { kind: "remote", url, ref: "HEAD" });
    assert.equal(sealed.archive.digest, local.archive.digest);
    assert.deepEqual(sealed.identity, {
      ...local.identity,
      from: "url",
      remote: url,
    });
    assert.deepEqual(sealed.notes, [{ kind: "unauthenticated-remote" }]);
    const tagged = await seal(test, { kind: "remote", url, ref: "v1" });
    assert.ok(tagged.identity.claim === "commit");
    assert.equal(tagged.identity.commit, git(repository, "rev-parse", "HEAD~1"));
    const { commit } = tagged.identity;
    const pinned = await seal(test, { kind: "remote", url, ref: commit });
    assert.equal(pinned.archive.digest, tagged.archive.digest);
  });

  it("is refused when the ref is not there, or nothing answers", async (test) => {
    const { url } = await publish(test);
    await assert.rejects(seal(test, { kind: "remote", url, ref: "nope" }), {
      code: "REF_NOT_FOUND",
    });
    const gone = url.replace("x.git", "y.git");
    await assert.rejects(seal(test, { kind: "remote", url: gone, ref: "HEAD" }), {
      code: "REMOTE_FAILED",
    });
  });

  it("is refused when the server redirects or asks for a password", async (test) => {
    const { url } = await publish(test);
    const hostile = async (intercept: Intercept) => {
      const base = await serveRepositories(test, temporaryDirectory(test), intercept);
      await assert.rejects(seal(test, { kind: "remote", url: `${base}/x.git`, ref: "HEAD" }), {
        code: "REMOTE_FAILED",
      });
    };
    await hostile((request, response) => {
      response.writeHead(302, { location: url.replace("/x.git", request.url ?? "") }).end();
      return true;
    });
    await hostile((_request, response) => {
      response.writeHead(401, { "www-authenticate": "Basic" }).end();
      return true;
    });
  });

  it("is refused when the branch moves between listing and fetching", async (test) => {
    let visits = 0;
    let onFetch = (): void => undefined;
    const { repository, url, bare } = await publish(test, (request) => {
      // Each git command begins with one GET: the first lists, the second fetches.
      if (request.method === "GET") visits += 1;
      if (request.method === "GET" && visits % 2 === 0) onFetch();
      return false;
    });
    await seal(test, { kind: "remote", url, ref: "main" });
    onFetch = () => {
      git(repository, "commit", "-q", "--allow-empty", "-m", "third");
      git(repository, "push", "-q", bare, "main");
    };
    await assert.rejects(seal(test, { kind: "remote", url, ref: "main" }), {
      code: "SOURCE_CHANGED",
    });
  });
});

describe("a sealed bundle", () => {
  const bundle = (test: TestContext, ...args: string[]) => {
    const repository = makeRepository(test);
    writeFiles(repository, { "a.txt": "second\n" });
    git(repository, "commit", "-q", "-a", "-m", "second");
    const path = join(temporaryDirectory(test), "x.bundle");
    git(repository, "bundle", "create", "-q", path, ...args);
    return { repository, path };
  };

  it("is the same archive as the directory's, and names the bundle by digest", async (test) => {
    const { repository, path } = bundle(test, "--all", "HEAD");
    const local = await sealHead(test, repository);
    for (const ref of ["HEAD", "main"]) {
      const sealed = await seal(test, { kind: "bundle", path, ref });
      assert.equal(sealed.archive.digest, local.archive.digest);
      assert.ok(sealed.identity.claim === "commit");
      assert.equal(sealed.identity.bundle, digestOf(readFileSync(path)));
    }
  });

  it("is refused when it builds on commits it does not carry", async (test) => {
    const { path } = bundle(test, "HEAD~1..main");
    await assert.rejects(seal(test, { kind: "bundle", path, ref: "main" }), {
      code: "BUNDLE_INCOMPLETE",
    });
  });

  it("is refused when it is no bundle, cut short, or a byte of its pack is flipped", async (test) => {
    const { path } = bundle(test, "--all", "HEAD");
    const good = readFileSync(path);
    const pack = good.indexOf("PACK");
    const bad: readonly Buffer[] = [
      Buffer.from("hello"),
      Buffer.alloc(0),
      good.subarray(0, 30),
      good.subarray(0, pack),
      good.subarray(0, good.length - 30),
      Buffer.from(good.map((byte, index) => (index === pack + 40 ? byte ^ 1 : byte))),
    ];
    for (const [index, bytes] of bad.entries()) {
      writeFileSync(path, bytes);
      await assert.rejects(
        seal(test, { kind: "bundle", path, ref: "HEAD" }),
        { code: "BUNDLE_BAD" },
        `variant ${index}`,
      );
    }
  });

  it("gives a header or a named error for any bytes", async () => {
    const line = fc.oneof(
      fc.constantFrom("# v2 git bundle", "# v3 git bundle", "@object-format=sha256", "", "-x"),
      fc.string({ maxLength: 60 }),
      fc.constant(`${"a".repeat(40)} refs/heads/x`),
    );
    const error = () => sealError("BUNDLE_BAD", "truncated");
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 6 }), async (lines) => {
        const bytes = [Buffer.from(lines.join("\n"))];
        const reader = new ByteReader(
          (async function* () {
            yield* bytes;
          })(),
          error,
        );
        await readBundleHeader(reader).catch((thrown: { code?: string }) => {
          assert.match(thrown.code ?? String(thrown), /^(BUNDLE_|REMOTE_FAILED)/);
        });
      }),
      { numRuns: profile.fuzz, seed: profile.seed },
    );
  });
});
