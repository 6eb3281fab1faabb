import assert from "node:assert/strict";
import { test } from "node:test";
import { EXACT_PRIVILEGES, requireExactPrivileges } from "./exact-privileges.js";

test("a lab's identity has the candidate's one permission, its history, what a preflight reads, and no more", () => {
  assert.deepEqual(EXACT_PRIVILEGES.toSorted(), [
    "api-v2-diagnostics-config-history-revisions-get",
    "api-v2-firewall-alias-patch",
    "api-v2-firewall-aliases-get",
    "api-v2-firewall-nat-one-to-one-mappings-get",
    "api-v2-firewall-nat-outbound-mappings-get",
    "api-v2-firewall-nat-port-forwards-get",
    "api-v2-firewall-rules-get",
    "api-v2-routing-static-routes-get",
    "api-v2-vpn-openvpn-clients-get",
    "api-v2-vpn-openvpn-servers-get",
  ]);
  requireExactPrivileges(EXACT_PRIVILEGES);
  requireExactPrivileges(EXACT_PRIVILEGES.toReversed());
  for (const held of [
    [],
    ["page-all"],
    EXACT_PRIVILEGES.slice(1),
    EXACT_PRIVILEGES.slice(0, -1),
    [...EXACT_PRIVILEGES, "page-all"],
    [...EXACT_PRIVILEGES, "api-v2-firewall-alias-delete"],
    [...EXACT_PRIVILEGES.slice(1), "API-V2-FIREWALL-ALIAS-PATCH"],
  ])
    assert.throws(() => requireExactPrivileges(held), { code: "LAB_PRIVILEGES" });
});
