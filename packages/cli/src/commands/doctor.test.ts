import assert from "node:assert/strict";
import { test } from "node:test";
import { testHome } from "../testing/home.js";
import { without } from "../testing/wrappers.js";

test("what boundary and lab call is looked for too, and named with its package; runs do without", async (t) => {
  const home = testHome(t);
  const look = async (wrapper?: readonly string[]) => {
    const ended = await home.run(["doctor", "--json"], wrapper === undefined ? {} : { wrapper });
    const { checks } = JSON.parse(ended.stdout);
    return {
      code: ended.code,
      ...checks.find(({ id }: { id: string }) => id === "boundary-tools"),
    };
  };
  const { code, ok, fix } = await look();
  assert.deepEqual([code, ok, fix], [0, true, null]);
  const lacking = await look(without("sbin/nft", "bin/ss"));
  assert.deepEqual([lacking.code, lacking.ok], [0, false]);
  assert.match(lacking.detail, /: nft, ss$/);
  assert.match(lacking.fix, / nftables iproute2$/);
});
