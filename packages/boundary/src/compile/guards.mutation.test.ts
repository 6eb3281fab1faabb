import assert from "node:assert/strict";
import { test } from "node:test";
import { assertNoticed } from "@drydock/testkit";

/** Without one of these guards the rules do something else than is meant, and the check sees it. */
const GUARDS = {
  "a port's own MAC and address": {
    module: "packages/boundary/dist/compile/binding.js",
    source: `import { MARK_BIT } from "./context.js";
      import { chainName, identityOf } from "./names.js";
      export const bindingChain = ({ authority }, { holder, network }) => ({
        name: chainName("from", holder, network),
        base: null,
        rules: [{
          identity: identityOf("binding", holder, network, "ipv4"),
          matches: [],
          effect: { kind: "set-mark", bits: MARK_BIT[authority] },
        }],
      });`,
  },
  "delivery to whom it is addressed": {
    module: "packages/boundary/dist/compile/delivery.js",
    source: `import { chainName } from "./names.js";
      export const deliveryChain = ({ holder, network }) =>
        ({ name: chainName("to", holder, network), base: null, rules: [] });`,
  },
  "what only state lets pass": {
    module: "packages/boundary/dist/compile/state.js",
    source: `export const stateful = () => [[
      { identity: "forward/state", matches: [], effect: { kind: "accept" } },
    ]];`,
  },
} as const;

for (const [what, { module, source }] of Object.entries(GUARDS)) {
  test(`rules without ${what} are found`, () => {
    const output = assertNoticed(
      new URL("../check/check.test.js", import.meta.url),
      [{ module, source }],
      "the fixture's rules do what is meant, br_netfilter",
    );
    assert.match(output, /not ok \d+ - the fixture's rules do what is meant, br_netfilter/);
  });
}

test("without the chain that keeps a bridge from learning, the laboratory sees it", () => {
  const output = assertNoticed(
    new URL("./identity.test.js", import.meta.url),
    [
      {
        module: "packages/boundary/dist/compile/learning.js",
        source: `import { baseChain } from "./rule.js";
          export const learningChain = (context) => baseChain(context, "input", []);`,
      },
    ],
    "a node keeps to its own|a peer's MAC doesn't",
  );
  assert.match(output, /not ok \d+ - a peer's MAC doesn't/);
});
