import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";

const BUILDS = {
  "the agent's bundle": "buildAgentBundle",
  "the conformance kit": "buildConformanceKit",
  "the stand-in": "buildStandIn",
} as const;

for (const [what, name] of Object.entries(BUILDS))
  describe(what, () => {
    it("is the same each time, in one piece, and knows nothing of where it was built", async () => {
      const { [name]: build } = await import(new URL("../build.mjs", import.meta.url).href);
      const [first, second]: Uint8Array[] = [await build(), await build()];
      assert.ok(first !== undefined && second !== undefined);
      assert.ok(Buffer.from(first).equals(second));
      const text = Buffer.from(first).toString("utf8");
      const repository = fileURLToPath(new URL("../..", import.meta.url));
      assert.equal(text.includes(repository), false);
      // Where it runs there are no packages: only what Node has built in may be left to load.
      const loaded = [...text.matchAll(/(?:require\(|\bfrom)"([\w@.:/-]+)"/g)].map(
        ([, from]) => from,
      );
      assert.ok(loaded.length > 0);
      assert.deepEqual(
        loaded.filter((from) => !from?.startsWith("node:")),
        [],
      );
    });
  });
