import { it } from "node:test";
import { assertNoticed } from "@drydock/testkit";

const GUARDS = [
  ["withheld", "export const withheld = (ruleset) => ruleset;", "apply"],
  ["claim", "export const claimNamespace = async () => undefined;", "claim"],
] as const;

for (const [module, source, tested] of GUARDS) {
  it(`without nft/${module}.js a test of ${tested} fails`, () => {
    const file = new URL(`./${tested}.test.js`, import.meta.url);
    const swap = { module: `packages/boundary/dist/nft/${module}.js`, source };
    assertNoticed(file, [swap]);
  });
}
