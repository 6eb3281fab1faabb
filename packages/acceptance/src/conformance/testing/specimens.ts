import type { Specimen } from "../specimen.js";

const alias = (name: string, descr: string, address: readonly string[]) => ({
  name,
  type: "host",
  descr,
  address,
  detail: address.map((member) => `about ${member}`),
});

/** Aliases around the one that is changed, so that its number can be another. */
export const aliasSpecimen: Specimen = {
  appliance: {
    kind: "collection",
    endpoint: "FIREWALL_ALIAS",
    readPath: "/api/v2/firewall/aliases",
    nameKey: "name",
    objects: [
      alias("web_servers", "public", ["192.0.2.10"]),
      alias("LAB_ALIAS", "before", ["192.0.2.1", "192.0.2.2"]),
      alias("LAB_ALIAS_2", "another", []),
      { ...alias("ports", "", ["443"]), type: "port" },
    ],
  },
  intents: [
    {
      operation: "set_firewall_alias_description_v1",
      raw_target_hint: { alias_name: "LAB_ALIAS" },
      new_description: "after",
    },
    {
      operation: "set_firewall_alias_description_v1",
      raw_target_hint: { alias_name: "LAB_ALIAS" },
      new_description: "afterwards",
    },
  ],
  changes: ["descr"],
};

export const noticeSpecimen: Specimen = {
  appliance: {
    kind: "singleton",
    endpoint: "SYNTHETIC_NOTICE",
    readPath: "/api/v2/synthetic/notice",
    object: { headline: "all is well", priority: 1, audience: "staff" },
  },
  intents: [
    { operation: "set_synthetic_notice_v1", headline: "closed today", priority: 5 },
    { operation: "set_synthetic_notice_v1", headline: "open again", priority: 2 },
  ],
  changes: ["headline", "priority"],
};
