import { it } from "node:test";
import { assertNoticed } from "@drydock/testkit";

it("without judgeRequest a test fails", () => {
  assertNoticed(new URL("./judge-request.test.js", import.meta.url), [
    {
      module: "packages/broker/dist/service/judge-request.js",
      source: "export const judgeRequest = () => null;",
    },
  ]);
});
