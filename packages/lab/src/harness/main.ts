import { randomBytes } from "node:crypto";
import { READ_PATHS } from "@drydock/acceptance";
import { FaultProxy } from "@drydock/faults";
import { createApplianceIdentity } from "../appliance/index.js";
import { LabCredential } from "../configuration/index.js";
import { MAX_DEADLINE_MS } from "../supervisor/bounds.js";
import { harnessJob } from "../supervisor/harness-protocol.js";
import { readJob } from "../supervisor/read-job.js";
import { runProgram } from "../supervisor/run-program.js";
import { chosenScenarios } from "./chosen.js";
import { playScenarios } from "./play.js";
import { linkToSupervisor } from "./supervised-appliance.js";

/**
 * The harness as a process of its own: it has the lab's key and can be killed at any moment, since
 * whoever takes the key's permission away is its supervisor.
 */
const PROXY_PORT = 8443;
/** A time-out is waited for in each of the scenarios that have one. */
const DEADLINES = { connectMs: 10_000, answerMs: 1_500 };

runProgram("harness", async () => {
  const job = readJob(harnessJob);
  const { appliance, proxyAddress } = job;
  const supervisor = linkToSupervisor(process.stdin, process.stdout);
  // The proxy shows itself under the appliance's name, and isn't it: with a key of its own.
  const identity = await createApplianceIdentity({
    name: appliance.name,
    address: proxyAddress,
    now: new Date(),
    lifetimeMs: MAX_DEADLINE_MS,
    random: randomBytes,
  });
  const proxy = await FaultProxy.install({
    listen: { host: proxyAddress, port: PROXY_PORT },
    upstream: {
      host: appliance.address,
      port: appliance.port,
      tls: { ca: appliance.ca, serverName: appliance.name },
    },
    tls: { certificate: identity.certificatePem, key: identity.keyPem },
    paths: [...READ_PATHS, "/api/v2/firewall/alias"],
    mutationsForMs: job.mutationsForMs,
    beyondLoopback: { listen: true, upstream: true },
  });
  const endpoint = {
    address: proxyAddress,
    port: PROXY_PORT,
    host: appliance.name,
    ca: identity.caCertificatePem,
    deadlines: DEADLINES,
  };
  const { unexpected } = await playScenarios(
    {
      appliance: supervisor.appliance,
      proxy,
      endpoint,
      credential: new LabCredential(job.labKey),
      candidate: job.candidate,
      clock: Date.now,
      entropy: (bytes) => randomBytes(bytes),
      directory: job.directory,
      handOver: (store) => supervisor.handOver(store),
    },
    {
      scenarios: chosenScenarios(job.scenarios),
      seed: job.seed,
      repeat: job.repeat,
      onReport: (report) => supervisor.report(report),
    },
  );
  supervisor.played(unexpected);
  await proxy.close();
  // The supervisor's pipe is open still, and is listened to; once all is written nothing more is said.
  process.stdout.write("", () => process.exit());
});
