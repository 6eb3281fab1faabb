import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { describeVmmContract } from "../testing/contract.js";
import { closeTestLab, openTestLab } from "../testing/lab.js";
import { createQemuAdapter } from "./index.js";

describeVmmContract("QEMU", (lab) => createQemuAdapter(lab.options));

test("a snapshot that has to be made is told of before, one that is there isn't", async (t) => {
  const lab = await openTestLab();
  const directory = mkdtempSync(join(tmpdir(), "drydock-vmm-"));
  t.after(() => {
    closeTestLab(lab);
    rmSync(directory, { recursive: true, force: true });
  });
  let told = 0;
  const onSnapshot = () => {
    told += 1;
  };
  const adapter = createQemuAdapter({ ...lab.options, directory, onSnapshot });
  await adapter.prepare({ ...lab.spec, start: "cold" });
  assert.equal(told, 0, "a cold start needs none");
  await adapter.prepare(lab.spec);
  await adapter.prepare(lab.spec);
  assert.equal(told, 1);
});
