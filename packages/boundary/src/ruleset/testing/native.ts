import assert from "node:assert/strict";
import type { Ruleset } from "../../model/index.js";
import { tableOf } from "../listing.js";
import { parseNftJson } from "../parse.js";
import { printTables } from "../print.js";
import { sealRuleset } from "../seal.js";

/** Every match that only a kernel with bridge meta and bridge conntrack can load. */
const NATIVE: Ruleset = sealRuleset({
  owner: "test:native",
  authority: "scenario",
  realisation: "native",
  inet: [],
  bridge: [
    {
      name: "forward",
      base: { type: "filter", hook: "forward", priority: -200, policy: "accept" },
      rules: [
        {
          identity: "bridges",
          matches: [
            { kind: "ibrname", is: ["br-one"], not: false },
            { kind: "obrname", is: ["br-one", "br-two"], not: true },
          ],
          effect: { kind: "drop" },
        },
        {
          identity: "invalid",
          matches: [{ kind: "ct-state", is: ["invalid"], not: false }],
          effect: { kind: "drop" },
        },
        {
          identity: "reply",
          matches: [
            { kind: "ibrname", is: ["br-one", "br-two"], not: false },
            { kind: "ct-state", is: ["established", "related"], not: false },
          ],
          effect: { kind: "accept" },
        },
        {
          identity: "web",
          matches: [
            { kind: "ibrname", is: ["br-one"], not: false },
            { kind: "ip-destination", is: [{ base: 0x0a3c_010a, prefix: 32 }], not: false },
            { kind: "destination-port", protocol: "tcp", is: [{ first: 80, last: 81 }] },
            { kind: "ct-state", is: ["new", "untracked"], not: true },
          ],
          effect: { kind: "return" },
        },
      ],
    },
  ],
});

/**
 * For a test on a kernel that has what this machine's may lack, such as in a guest: give `text` to
 * `nft -f -`, and what `nft -j list ruleset` then says to `check`.
 */
export const nativeRoundTrip = {
  text: printTables(NATIVE),
  check: (listing: Uint8Array): void => {
    const tables = parseNftJson(listing).tables.map(tableOf);
    assert.deepEqual(
      tables.find((table) => table?.family === "bridge"),
      NATIVE.bridge,
    );
  },
};
