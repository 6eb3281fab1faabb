import assert from "node:assert/strict";
import { test } from "node:test";
import { planImage } from "./plan.js";

test("a plan is sorted, without repeats, and named after its recipe", () => {
  const plan = planImage("base", { packages: ["zstd", "libc6", "zstd"] });
  assert.equal(plan.name, "base");
  assert.deepEqual(plan.packages, [...new Set(plan.packages)].sort());
  assert.ok(plan.packages.includes("zstd"));
  assert.deepEqual(
    planImage("base", { packages: ["a1", "b1"] }),
    planImage("base", { packages: ["b1", "a1"] }),
  );
});

test("debian holds base and the tools of real test suites", () => {
  const { packages } = planImage("debian");
  for (const name of [...planImage("base").packages, "python3", "git", "gcc", "make"]) {
    assert.ok(packages.includes(name), name);
  }
});

test("sets of kernel modules are known ones, each once, and none by itself", () => {
  assert.deepEqual(planImage("base").moduleSets, []);
  const twice = planImage("base", { moduleSets: ["containers", "containers"] });
  assert.deepEqual(twice.moduleSets, ["containers"]);
  assert.throws(() => planImage("base", { moduleSets: ["all"] }), { code: "IMAGE_MODULES" });
});

test("a package that is no package name is refused", () => {
  assert.throws(() => planImage("base", { packages: ["--reinstall"] }), { code: "IMAGE_PACKAGE" });
});
