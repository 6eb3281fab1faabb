import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ENDPOINTS } from "./endpoint/index.js";

test("docs/acceptance.md lists every endpoint of the stand-in, and no other", () => {
  const page = readFileSync(new URL("../../../../docs/acceptance.md", import.meta.url), "utf8");
  const [, table = ""] = /<!-- stand-in -->\n([\s\S]*)<!-- \/stand-in -->/.exec(page) ?? [];
  const rows = [...table.matchAll(/^\| `([^`]+)` \| ([A-Z ]+) \| (.*) ?\|$/gm)].map(
    ([, path, methods, remark]) => [path, methods?.split(" "), (remark ?? "").trim()],
  );
  assert.deepEqual(
    rows,
    ENDPOINTS.map(({ path, methods, authMethods }) => [
      path.replace("/api/v2", ""),
      methods,
      authMethods === null ? "" : "password only",
    ]),
  );
});
