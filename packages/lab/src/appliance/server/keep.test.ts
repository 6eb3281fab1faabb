import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { temporaryDirectory } from "@drydock/testkit";
import { takeSnapshot } from "../snapshot.js";
import { alias, TestAppliance } from "../testing/appliance.js";
import { createEngine } from "./engine.js";
import { openKeep } from "./keep.js";

const snapshot = takeSnapshot(new TestAppliance().state);

describe("what is kept", () => {
  test("is loaded as it was saved, and nothing at first", (t) => {
    const keep = openKeep(join(temporaryDirectory(t), "state"));
    assert.equal(keep.load(), null);
    keep.save(snapshot);
    assert.deepEqual(keep.load(), snapshot);
  });

  test("is refused when a byte of it is another, or the half of it is gone", (t) => {
    const directory = join(temporaryDirectory(t), "state");
    const keep = openKeep(directory);
    keep.save(snapshot);
    const file = join(directory, "config.json");
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replace('"enabled":true', '"enabled":false'));
    assert.throws(() => keep.load(), { code: "LAB_STATE" });
    writeFileSync(file, text.slice(0, text.length / 2));
    assert.throws(() => keep.load());
    writeFileSync(file, text);
    assert.deepEqual(keep.load(), snapshot);
  });

  test("lies in a directory that is one's own, and isn't a link", (t) => {
    const base = temporaryDirectory(t);
    const open = join(base, "open");
    mkdirSync(open);
    chmodSync(open, 0o750);
    assert.throws(() => openKeep(open), { code: "LAB_STATE" });
    chmodSync(open, 0o700);
    openKeep(open);
    const link = join(base, "link");
    symlinkSync(open, link);
    assert.throws(() => openKeep(link), { code: "LAB_STATE" });
  });
});

test("what can't be kept isn't done either, and the answer says so without a success", async () => {
  let broken = false;
  const appliance = new TestAppliance();
  const engine = createEngine({
    appliance: appliance.state,
    keep: {
      load: () => null,
      save: () => {
        if (broken) throw new Error("ENOSPC");
      },
    },
    later: () => () => undefined,
  });
  const add = (name: string) =>
    engine.handle({
      kind: "console",
      call: {
        method: "POST",
        path: "/api/v2/firewall/alias",
        data: alias(name),
        seconds: 1,
        entropy: new Uint8Array(64),
      },
    });
  assert.equal((await add("LAB_A"))?.status, 200);
  const before = engine.state();
  broken = true;
  const answer = await add("LAB_B");
  assert.equal(answer?.status, 500);
  assert.equal(answer?.body["response_id"], "ENDPOINT_RECEIVED_UNEXPECTED_ERROR");
  assert.equal(engine.state(), before);
});
