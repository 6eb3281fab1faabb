import { randomBytes } from "node:crypto";
import { createApplianceIdentity, makeLink, obey, startAppliance } from "../server/index.js";
import { ADMIN, ADMIN_KEY } from "./appliance.js";

/**
 * The program of tests that need a real server: an appliance in the namespace that it is started in,
 * which says that it is ready, obeys commands, and ends when its input does.
 */
const { starter, stateDirectory, lockAttempts, apiVersion } = JSON.parse(
  process.argv[2] ?? "{}",
) as {
  readonly starter: string;
  readonly stateDirectory: string;
  readonly lockAttempts: number;
  readonly apiVersion: string;
};

const place = { address: "192.0.2.10", port: 443, name: "appliance.lab.invalid" };
makeLink([place.address], starter);
const identity = await createApplianceIdentity({
  ...place,
  now: new Date(),
  lifetimeMs: 3_600_000,
  random: randomBytes,
});
const appliance = await startAppliance({
  ...place,
  identity,
  stateDirectory,
  setUp: { accounts: [{ ...ADMIN, privileges: ["page-all"], keys: [ADMIN_KEY] }] },
  behaviour: { apiVersion },
  clock: Date.now,
  random: randomBytes,
  timing: { reloadMs: 20, lockAttempts },
});
process.stdout.write(`${JSON.stringify({ ca: appliance.caCertificatePem })}\n`);
await obey(appliance, { input: process.stdin, output: process.stdout });
await appliance.close();
