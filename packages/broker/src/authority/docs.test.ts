import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { formatAuthority } from "./authority.js";
import { parseAuthority } from "./parse.js";

const documentation = readFileSync(new URL("../../../../docs/egress.md", import.meta.url), "utf8");

test("each spelling of the documentation is read as it says", () => {
  const table = documentation.split("<!-- spellings -->")[1]?.split("<!-- /spellings -->")[0] ?? "";
  const rows = [...table.matchAll(/^\| `(.+)` \| (.+) \|$/gm)];
  assert.ok(rows.length > 20);
  for (const [, text = "", expected] of rows) {
    const result = parseAuthority(text);
    assert.equal(
      result.kind === "refused" ? result.reason : `\`${formatAuthority(result.authority)}\``,
      expected,
      text,
    );
  }
});
