import assert from "node:assert/strict";
import { chmodSync, chownSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { temporaryDirectory } from "@drydock/testkit";
import { requireMountSources } from "./index.js";

const prepare = (t: TestContext) => {
  const root = temporaryDirectory(t);
  const at = (...segments: readonly string[]) => join(root, ...segments);
  mkdirSync(at("given"), { mode: 0o755 });
  mkdirSync(at("receipt"), { mode: 0o755 });
  writeFileSync(at("given", "policy.yaml"), "policy", { mode: 0o644 });
  const look = (source = "given/policy.yaml", sockets: readonly string[] = []) =>
    requireMountSources(
      ["receipt", source].map((one) => ({ source: one, target: `/${one}` })),
      { directory: root, sockets },
    );
  /** It passes as it is, and is refused once something was done to it. */
  const refuses = (said: RegExp, source?: string, sockets?: readonly string[]) =>
    assert.throws(() => look(source, sockets), { code: "PLATFORM_MOUNT_REFUSED", message: said });
  assert.equal(look(), root);
  return { at, root, look, refuses };
};

test("files and directories below the operator's directory may be given", (t) => {
  const { look, root } = prepare(t);
  assert.equal(look("given"), root);
  assert.equal(look("given", ["/srv/engine.sock"]), root);
});

test("a directory is found by its own path, whatever link leads to it", (t) => {
  const { at, root } = prepare(t);
  symlinkSync(root, at("again"));
  const mounts = [{ source: "receipt", target: "/run/boundary" }];
  assert.equal(requireMountSources(mounts, { directory: at("again"), sockets: [] }), root);
});

test("what isn't there can't be given", (t) => {
  const { at, refuses } = prepare(t);
  rmSync(at("given", "policy.yaml"));
  refuses(/isn't there/);
  const place = { directory: at("nowhere"), sockets: [] };
  assert.throws(() => requireMountSources([], place), { code: "PLATFORM_MOUNT_REFUSED" });
});

test("a link is no file, neither at the end nor on the way", (t) => {
  const { at, refuses } = prepare(t);
  symlinkSync("/etc/shadow", at("given", "link"));
  symlinkSync("/etc", at("way"));
  refuses(/neither/, "given/link");
  refuses(/neither/, "way/shadow");
});

test("a file is no directory on the way", (t) => {
  const { refuses } = prepare(t);
  refuses(/neither/, "given/policy.yaml/more");
});

test("what others may change isn't the operator's", (t) => {
  for (const place of [[], ["given"], ["given", "policy.yaml"]]) {
    for (const mode of [0o757, 0o775]) {
      const { at, refuses } = prepare(t);
      chmodSync(at(...place), mode);
      refuses(/changed by others/);
    }
    const { at, refuses } = prepare(t);
    chownSync(at(...place), 65_534, 65_534);
    refuses(/changed by others/);
  }
});

test("no socket, and no directory that has the engine's", async (t) => {
  const { at, refuses, look } = prepare(t);
  const socket = at("given", "engine.sock");
  const server = createServer().listen(socket);
  t.after(() => server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  refuses(/neither/, "given/engine.sock", [socket]);
  refuses(/leads to an engine/, "given", [socket]);
  look("given/policy.yaml", [socket]);
});
