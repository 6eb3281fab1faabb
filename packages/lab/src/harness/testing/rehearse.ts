import { randomBytes } from "node:crypto";
import { READ_PATHS } from "@drydock/acceptance";
import { FaultProxy } from "@drydock/faults";
import {
  createApplianceIdentity,
  labAccounts,
  makeLink,
  startAppliance,
} from "../../appliance/index.js";
import { LabCredential } from "../../configuration/index.js";
import { supervisorControl } from "../../exit/index.js";
import type { World } from "../../scenario/index.js";
import { SCENARIOS } from "../../scenario/index.js";
import { runFullAcceptance } from "../run-full-acceptance.js";

/**
 * The program of the scenarios' test: a stand-in, a fault proxy and an executor in the network
 * namespace that it is started in. Prints what came of it.
 */
const { starter, directory } = JSON.parse(process.argv[2] ?? "{}") as {
  readonly starter: string;
  readonly directory: string;
};

const CANDIDATE = "LAB_REHEARSED";
const PROXY = "192.0.2.11";
const place = { address: "192.0.2.10", port: 443, name: "appliance.lab.invalid" };
/** A time-out is waited for in each of the scenarios that have one. */
const ANSWER_MS = 1_500;

makeLink([place.address, PROXY], starter);
const identity = await createApplianceIdentity({
  ...place,
  now: new Date(),
  lifetimeMs: 3_600_000,
  random: randomBytes,
});
const secret = () => randomBytes(24).toString("hex");
const passwords = { admin: secret(), supervisor: secret(), lab: secret() };
const labKey = secret();
const appliance = await startAppliance({
  ...place,
  identity,
  stateDirectory: `${directory}/appliance`,
  setUp: {
    accounts: labAccounts({ ...passwords, labKey }),
    configuration: {
      aliases: ["other", CANDIDATE].map((name) => ({
        name,
        type: "host",
        descr: `about ${name}`,
        address: ["192.0.2.77"],
        detail: ["synthetic"],
      })),
    },
  },
  clock: Date.now,
  random: randomBytes,
  timing: { reloadMs: 20 },
});
const proxy = await FaultProxy.install({
  listen: { host: PROXY, port: 8443 },
  upstream: {
    host: place.address,
    port: place.port,
    tls: { ca: identity.caCertificatePem, serverName: place.name },
  },
  tls: { certificate: identity.certificatePem, key: identity.keyPem },
  paths: [...READ_PATHS, "/api/v2/firewall/alias"],
  beyondLoopback: { listen: true, upstream: true },
});
const endpoint = {
  address: PROXY,
  port: 8443,
  host: place.name,
  ca: identity.caCertificatePem,
  deadlines: { connectMs: 10_000, answerMs: ANSWER_MS },
};
const credential = new LabCredential(labKey);
const world: World = {
  appliance,
  proxy,
  endpoint,
  credential,
  candidate: CANDIDATE,
  clock: Date.now,
  entropy: (bytes) => randomBytes(bytes),
  directory,
  handOver: async () => undefined,
};
const direct = { ...endpoint, address: place.address, port: place.port };
const exit = supervisorControl({
  endpoint: direct,
  supervisor: { name: "supervisor", password: passwords.supervisor },
  lab: { name: "lab", key: credential },
});
const lying = { ...exit, revoke: async () => undefined };
const [first] = SCENARIOS;
const only = first === undefined ? [] : [first];
const reports = {
  // A revocation that only says so: the key still works, and nothing is read-only.
  lying: await runFullAcceptance(world, lying, { seed: 1, scenarios: only }),
  full: await runFullAcceptance(world, exit, { seed: 1 }),
};
process.stdout.write(JSON.stringify(reports));
await proxy.close();
await appliance.close();
