import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { bytesContent, file, rootOwned } from "../tree/node.js";
import { busyboxApplets } from "./applets.js";
import { neededLibraries } from "./elf.js";
import { type Module, moduleDependencies, orderModules } from "./modules.js";

test("the commands read from busybox are those it lists itself", () => {
  const listed = execFileSync("/bin/busybox", ["--list"], { encoding: "utf8" }).trim().split("\n");
  assert.deepEqual(busyboxApplets(readFileSync("/bin/busybox")), listed.sort());
  assert.throws(() => busyboxApplets(Buffer.alloc(1000)), { code: "IMAGE_PACKAGE" });
});

test("the libraries read from Node are those its dynamic section names", () => {
  const text = execFileSync("readelf", ["-d", process.execPath], { encoding: "utf8" });
  const named = [...text.matchAll(/Shared library: \[([^\]]+)\]/g)].map((match) => match[1]);
  assert.deepEqual(neededLibraries(readFileSync(process.execPath), "node"), named);
  assert.throws(() => neededLibraries(Buffer.from("#!/bin/sh".padEnd(64)), "sh"), {
    code: "IMAGE_PLATFORM",
  });
});

const module = (name: string): [string, Module] => [
  name,
  { name, path: `/${name}.ko`, file: file(bytesContent(""), rootOwned(0o644)) },
];

test("modules come after what they depend on", () => {
  const available = new Map([module("a"), module("b"), module("c")]);
  const depends = new Map([
    ["a", ["b", "c"]],
    ["b", ["c"]],
  ]);
  const order = orderModules(["a"], available, ({ name }) => depends.get(name) ?? []);
  assert.deepEqual(
    order.map(({ name }) => name),
    ["c", "b", "a"],
  );
  assert.throws(() => orderModules(["x"], available, () => []), { code: "IMAGE_PACKAGE" });
  assert.throws(() => orderModules(["a"], available, () => ["a"]), { code: "IMAGE_PACKAGE" });
});

test("a module's dependencies are read from its .modinfo", () => {
  const elf = Buffer.from("\x7fELF\0license=GPL\0depends=virtio,virtio-ring\0name=x\0");
  assert.deepEqual(moduleDependencies(elf), ["virtio", "virtio_ring"]);
  assert.deepEqual(moduleDependencies(Buffer.from("\0depends=\0")), []);
});
