import { it } from "node:test";
import { assertNoticed } from "@drydock/testkit";

const GUARDS = [
  ["judge.js", "export const judgeReadbackReceipt = () => null;"],
  ["fresh.js", "export const isFresh = () => true;"],
] as const;

for (const [module, source] of GUARDS) {
  it(`without ${module} a receipt's test fails`, () => {
    assertNoticed(new URL("./receipt.test.js", import.meta.url), [
      { module: `packages/boundary/dist/receipt/${module}`, source },
    ]);
  });
}
