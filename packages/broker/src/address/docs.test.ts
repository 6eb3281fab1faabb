import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { classifyAddress } from "./classify.js";
import { parseIp } from "./ip-text.js";

const documentation = readFileSync(new URL("../../../../docs/egress.md", import.meta.url), "utf8");

test("each address of the documentation has the class that it says", () => {
  const table = documentation.split("<!-- addresses -->")[1]?.split("<!-- /addresses -->")[0] ?? "";
  const rows = [...table.matchAll(/^\| `(.+)` \| (.+) \|$/gm)];
  assert.ok(rows.length > 10);
  for (const [, text = "", expected] of rows) {
    const ip = parseIp(text);
    assert.ok(ip !== null, text);
    const found = classifyAddress(ip);
    assert.equal(found.kind === "special" ? found.name : found.kind, expected, text);
  }
});
