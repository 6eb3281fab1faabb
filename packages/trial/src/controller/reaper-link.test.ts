import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, test } from "node:test";
import { pipePair } from "../testing/pipe.js";
import { reaperLink } from "./reaper-link.js";

const open = () => {
  const [ours, theirs] = pipePair();
  theirs.setEncoding("latin1");
  return { link: reaperLink(ours), reaper: theirs };
};

const heard = async (reaper: ReturnType<typeof open>["reaper"]): Promise<string> =>
  String((await once(reaper, "data"))[0]);

describe("the controller's line to the reaper", () => {
  test("a deadline is armed when the reaper has said so", async () => {
    const { link, reaper } = open();
    const armed = link.arm(1500.2);
    assert.equal(await heard(reaper), "D 1501\n");
    reaper.write("ok\n");
    await armed;
  });

  test("answers belong to the orders in their order, however they are cut", async () => {
    const { link, reaper } = open();
    const done: number[] = [];
    const all = [1, 2, 3].map((ms) => link.arm(ms).then(() => done.push(ms)));
    await heard(reaper);
    for (const piece of ["o", "k\nok", "\no", "k\n"]) reaper.write(piece);
    await Promise.all(all);
    assert.deepEqual(done, [1, 2, 3]);
  });

  test("a reaper that is gone fails what waits, and everything after", async () => {
    const { link, reaper } = open();
    const armed = assert.rejects(link.arm(1), { code: "REAPER_LOST" });
    reaper.destroy();
    await armed;
    await link.lost;
    await assert.rejects(link.arm(1), { code: "REAPER_LOST" });
    await assert.rejects(link.quit(), { code: "REAPER_LOST" });
  });

  test("anything but ok is no answer: the line is closed", async () => {
    const { link, reaper } = open();
    const armed = assert.rejects(link.arm(1), { code: "REAPER_LOST" });
    reaper.write("okay\n");
    await armed;
    await link.lost;
  });

  test("after a good-bye its going is no loss", async () => {
    const { link, reaper } = open();
    let lost = false;
    void link.lost.then(() => {
      lost = true;
    });
    const quit = link.quit();
    assert.equal(await heard(reaper), "Q\n");
    reaper.destroy();
    await quit;
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(lost, false);
  });
});
