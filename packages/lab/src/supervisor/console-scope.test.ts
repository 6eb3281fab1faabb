import assert from "node:assert/strict";
import { test } from "node:test";
import { requireTargetsPath } from "./console-scope.js";

test("at the console a scenario edits its target, and gives nobody a permission", () => {
  for (const path of ["/api/v2/firewall/alias", "/api/v2/firewall/aliases"])
    requireTargetsPath(path);
  for (const path of [
    ...["/api/v2/user", "/api/v2/users", "/api/v2/auth/key", "/api/v2/system/restapi/settings"],
    ...["", "/", "/api/v2/firewall/alias/", "/api/v2/firewall/alias?id=1", "/api/v2/firewall/rule"],
    ...["/api/v2/firewall/../user", "//api/v2/firewall/alias", "/API/v2/firewall/alias"],
  ])
    assert.throws(() => requireTargetsPath(path), { code: "LAB_CONSOLE" }, path);
});
