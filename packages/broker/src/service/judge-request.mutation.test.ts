import assert from "node:assert/strict";
import { it } from "node:test";
import { runTestFileWithSwaps } from "@drydock/testkit";

it("without judgeRequest a test fails", () => {
  const swapped = runTestFileWithSwaps(new URL("./judge-request.test.js", import.meta.url), [
    {
      module: "packages/broker/dist/service/judge-request.js",
      source: "export const judgeRequest = () => null;",
    },
  ]);
  assert.equal(swapped.failed, true);
  assert.match(swapped.output, /^ +ok /m);
});
