// Writes src/address/special-purpose-table.ts from the registries beside this file.
// Run: npx tsc -b && node packages/broker/registry/generate.mjs

import { readFileSync, writeFileSync } from "node:fs";
import { renderTable } from "../dist/address/testing/registry.js";

const read = (name) => readFileSync(new URL(name, import.meta.url), "utf8");

writeFileSync(
  new URL("../src/address/special-purpose-table.ts", import.meta.url),
  renderTable(read("iana-ipv4-special-registry-1.csv"), read("iana-ipv6-special-registry-1.csv")),
);
