import assert from "node:assert/strict";
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "@drydock/testkit";
import { plant } from "./plant.js";

const FILE = { type: "plant", path: "/etc/run/own.pem", contents: "OWN\n" } as const;

test("a file of the run's own is readable by all, and what the image has besides follows", (t) => {
  const root = temporaryDirectory(t);
  mkdirSync(join(root, "etc"));
  writeFileSync(join(root, "etc/roots.pem"), "ROOTS\n");
  plant(root, { ...FILE, besides: "/etc/roots.pem" });
  assert.equal(readFileSync(join(root, FILE.path), "utf8"), "OWN\nROOTS\n");
  assert.equal(statSync(join(root, FILE.path)).mode & 0o777, 0o444);
});

test("an image without the other file leaves the contents alone", (t) => {
  const root = temporaryDirectory(t);
  plant(root, { ...FILE, besides: "/etc/none/roots.pem" });
  assert.equal(readFileSync(join(root, FILE.path), "utf8"), "OWN\n");
});

test("nothing is written over a file, nor through a link", (t) => {
  const root = temporaryDirectory(t);
  const planted = { ...FILE, besides: null };
  plant(root, planted);
  assert.throws(() => plant(root, planted), { code: "plant-failed" });
  symlinkSync("/tmp", join(root, "linked"));
  assert.throws(() => plant(root, { ...planted, path: "/linked/own.pem" }), {
    code: "plant-failed",
  });
});
