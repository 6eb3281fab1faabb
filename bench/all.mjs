#!/usr/bin/env node
// Every bench, one after the other: one JSON object a line.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const BENCHES = [
  ...["start", "memory", "streams", "receipts", "ledger"],
  ...["egress", "egress-guest"],
  ...["boundary", "boundary-check", "boundary-forward", "boundary-watch"],
  ...["faults", "contracts", "acceptance"],
];

let failed = false;
for (const name of BENCHES) {
  const file = fileURLToPath(new URL(`${name}.mjs`, import.meta.url));
  const { status } = spawnSync(process.execPath, [file], { stdio: "inherit" });
  if (status === 0) continue;
  failed = true;
  console.log(JSON.stringify({ name, error: `exit status ${status}` }));
}
process.exitCode = failed ? 1 : 0;
