import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { READ_PATHS } from "@drydock/acceptance";
import { FaultProxy } from "@drydock/faults";
import {
  createApplianceIdentity,
  labAccounts,
  makeLink,
  type RunningAppliance,
  startAppliance,
} from "../appliance/index.js";
import { LabCredential } from "../configuration/index.js";
import { type ExitControl, supervisorControl } from "../exit/index.js";
import type { World } from "../scenario/index.js";
import type { Endpoint } from "../transport/index.js";

/** A whole lab in one process. */
export interface OpenLab {
  readonly world: World & { readonly appliance: RunningAppliance };
  readonly exit: ExitControl;
  /** The stand-in itself, past the proxy. */
  readonly direct: Endpoint;
  close(): Promise<void>;
}

const CANDIDATE = "LAB_REHEARSED";
const PROXY = "192.0.2.11";
const PLACE = { address: "192.0.2.10", port: 443, name: "appliance.lab.invalid" };
/** A time-out is waited for in each of the scenarios that have one. */
const ANSWER_MS = 1_500;

/**
 * A stand-in, a fault proxy and what a scenario needs, in the network namespace of this process,
 * which has to be a new one.
 *
 * @param starter identity of the namespace that it isn't
 */
export const openLab = async ({
  starter,
  directory,
}: {
  readonly starter: string;
  readonly directory: string;
}): Promise<OpenLab> => {
  makeLink([PLACE.address, PROXY], starter);
  const identity = await createApplianceIdentity({
    ...PLACE,
    now: new Date(),
    lifetimeMs: 3_600_000,
    random: randomBytes,
  });
  const secret = () => randomBytes(24).toString("hex");
  const passwords = { admin: secret(), supervisor: secret(), lab: secret() };
  const labKey = secret();
  const appliance = await startAppliance({
    ...PLACE,
    identity,
    stateDirectory: join(directory, "appliance"),
    setUp: {
      accounts: labAccounts({ ...passwords, labKey }),
      configuration: {
        aliases: ["other", CANDIDATE, "another"].map((name) => ({
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
      host: PLACE.address,
      port: PLACE.port,
      tls: { ca: identity.caCertificatePem, serverName: PLACE.name },
    },
    tls: { certificate: identity.certificatePem, key: identity.keyPem },
    paths: [...READ_PATHS, "/api/v2/firewall/alias"],
    beyondLoopback: { listen: true, upstream: true },
  });
  const endpoint = {
    address: PROXY,
    port: 8443,
    host: PLACE.name,
    ca: identity.caCertificatePem,
    deadlines: { connectMs: 10_000, answerMs: ANSWER_MS },
  };
  const credential = new LabCredential(labKey);
  const direct = { ...endpoint, address: PLACE.address, port: PLACE.port };
  return {
    world: {
      ...{ appliance, proxy, endpoint, credential, directory, candidate: CANDIDATE },
      clock: Date.now,
      entropy: (bytes) => randomBytes(bytes),
      handOver: async () => undefined,
    },
    exit: supervisorControl({
      endpoint: direct,
      supervisor: { name: "supervisor", password: passwords.supervisor },
      lab: { name: "lab", key: credential },
    }),
    direct,
    close: async () => {
      await proxy.close();
      await appliance.close();
    },
  };
};
