import assert from "node:assert/strict";
import { test } from "node:test";
import { platformFile } from "../testing/platform-file.js";
import { parsePlatform } from "./index.js";

const FILE = platformFile(`lab@sha256:${"1".repeat(64)}`);
const parse = (text: string) => parsePlatform(Buffer.from(text), { file: "platform.yaml" });

/** The fixture with one text in the place of another. */
const refusal = (from: string, to: string): { readonly code: string } => {
  assert.ok(FILE.includes(from));
  try {
    parse(FILE.replace(from, to));
  } catch (error) {
    return error as { readonly code: string };
  }
  return assert.fail("it is taken");
};

test("networks and anchors are read, an anchor's own network first", () => {
  const { anchors } = parse(FILE);
  assert.deepEqual(
    anchors.egress.attachments.map(({ zone }) => zone),
    ["egress", "management"],
  );
  assert.equal(anchors.participant.publications.length, 1);
});

for (const [what, from, to, said] of [
  [
    "an address that its network doesn't have",
    "participant: 10.99.1.10",
    "participant: 10.98.1.10",
    /PLATFORM_ADDRESS_INVALID/,
  ],
  ["a gateway that isn't inside", "10.99.1.1 }", "10.99.2.1 }", /PLATFORM_ADDRESS_INVALID/],
  [
    "an anchor that isn't at home",
    "{ management: 10.99.2.20 }",
    "{ participant: 10.99.1.20 }",
    /PLATFORM_ANCHOR_NOT_AT_HOME/,
  ],
] as const) {
  test(`${what} is refused`, () => {
    assert.match(String(refusal(from, to)), said);
  });
}
