import assert from "node:assert/strict";
import { test } from "node:test";
import { testNative } from "../testing/lab.js";
import { doctorProbes } from "./index.js";

test("every line says what was found, and what to do exactly when something is wrong", async () => {
  const probes = doctorProbes({ native: await testNative(), directory: "/tmp" });
  assert.equal(new Set(probes.map(({ id }) => id)).size, probes.length);
  for (const { id, ok, detail, fix } of probes) {
    assert.ok(detail.length > 0, id);
    assert.equal(fix === null, ok, id);
  }
  // This machine runs these tests, so whatever is required works here.
  assert.deepEqual(
    probes.filter(({ ok, required }) => required && !ok),
    [],
  );
});

test("what can't be tried is said to be missing", () => {
  const probes = doctorProbes({ native: null, directory: "/nonexistent" });
  const native = probes.find(({ id }) => id === "native");
  assert.equal(native?.ok, false);
  assert.match(native?.fix ?? "", /image build/);
});

test("a helper that does nothing right fails each of its lines", () => {
  const probes = doctorProbes({ native: "/bin/false", directory: "/tmp" });
  for (const id of ["namespaces", "credentials", "sealed-memory"]) {
    assert.equal(probes.find((probe) => probe.id === id)?.ok, false, id);
  }
});
