import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";

describe("the agent's bundle", () => {
  it("is the same each time, in one piece, and knows nothing of where it was built", async () => {
    const { buildAgentBundle } = await import(new URL("../build.mjs", import.meta.url).href);
    const [first, second]: Uint8Array[] = [await buildAgentBundle(), await buildAgentBundle()];
    assert.ok(first !== undefined && second !== undefined);
    assert.ok(Buffer.from(first).equals(second));
    const text = Buffer.from(first).toString("utf8");
    const repository = fileURLToPath(new URL("../..", import.meta.url));
    assert.equal(text.includes(repository), false);
    // Its file system holds no packages: only what Node has built in may be left to load.
    const loaded = [...text.matchAll(/require\("([^"]+)"\)/g)].map((match) => match[1] ?? "");
    assert.ok(loaded.length > 0);
    assert.deepEqual(
      loaded.filter((name) => !name.startsWith("node:")),
      [],
    );
  });
});
