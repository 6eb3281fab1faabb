import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "@drydock/testkit";
import { requireHome } from "./check-home.js";

test("a home is a directory that exists, or one that can be made", (t) => {
  const directory = temporaryDirectory(t);
  mkdirSync(join(directory, "home"));
  symlinkSync(join(directory, "home"), join(directory, "link"));
  for (const path of ["", "home", "home/new/deeper", "link", "link/new"])
    requireHome(join(directory, path));
});

test("no home in or below a plain file, nor among the kernel's own files", (t) => {
  const directory = temporaryDirectory(t);
  writeFileSync(join(directory, "file"), "");
  symlinkSync(join(directory, "file"), join(directory, "link"));
  for (const path of ["file", "file/below", "file/below/deeper", "link", "link/below"])
    assert.throws(
      () => requireHome(join(directory, path)),
      { code: "HOME_INVALID", message: /is not one$/, fix: /DRYDOCK_HOME/ },
      path,
    );
  for (const path of [
    "/proc",
    "/proc/x",
    "/proc/self/x/y",
    "/sys",
    "/sys/x",
    "/sys/fs/cgroup/pids/x",
  ])
    assert.throws(
      () => requireHome(path),
      { code: "HOME_INVALID", message: /the kernel's own$/, fix: /DRYDOCK_HOME/ },
      path,
    );
});
