import { randomBytes } from "node:crypto";
import { createApplianceIdentity, keysOf, usersOf } from "../appliance/index.js";
import { LabCredential } from "../configuration/index.js";
import { type SupervisorControl, supervisorControl } from "../exit/index.js";
import type { Withheld } from "../report/index.js";
import { MAX_DEADLINE_MS } from "./bounds.js";
import { EXACT_PRIVILEGES } from "./exact-privileges.js";
import type { StandInJob } from "./stand-in-protocol.js";

/** Addresses of RFC 5737 on the one link of the rehearsal's own network namespace. */
export const PLACE = { address: "192.0.2.10", port: 443, name: "appliance.lab.invalid" } as const;
export const PROXY_ADDRESS = "192.0.2.11";
export const CANDIDATE = "LAB_REHEARSED";

/** Its certificate is looked at until the exit, which comes after the deadline. */
const LIFETIME_MS = MAX_DEADLINE_MS + 3_600_000;
/** Each request of an exit has this long; see EXIT_MS for all of them. */
const DEADLINES = { connectMs: 5_000, answerMs: 10_000 };

const SUPERVISOR = {
  name: "supervisor",
  privileges: [
    "api-v2-users-get",
    "api-v2-user-patch",
    "api-v2-auth-keys-get",
    "api-v2-auth-key-delete",
    "api-v2-system-restapi-settings-get",
    "api-v2-system-restapi-settings-patch",
  ],
};

export interface SetUp {
  readonly standIn: StandInJob;
  readonly labKey: string;
  /** Holds the credential that takes the permission away. It is made here and goes nowhere else. */
  readonly control: SupervisorControl;
  /** What no file that is kept may have. */
  readonly withheld: readonly Withheld[];
}

/** A stand-in with one synthetic alias to change, one identity that may, and one that ends it. */
export const makeSetUp = async (stateDirectory: string): Promise<SetUp> => {
  const identity = await createApplianceIdentity({
    ...PLACE,
    now: new Date(),
    lifetimeMs: LIFETIME_MS,
    random: randomBytes,
  });
  const secret = (): string => randomBytes(24).toString("hex");
  const [password, labKey, labPassword] = [secret(), secret(), secret()];
  const aliases = ["other", CANDIDATE].map((name) => ({
    name,
    type: "host",
    descr: `planted-description-${secret()}`,
    address: ["192.0.2.77"],
    detail: [`planted-detail-${secret()}`],
  }));
  const accounts = [
    { ...SUPERVISOR, password },
    // Nobody signs in as the lab: it has its key.
    { name: "lab", password: labPassword, privileges: EXACT_PRIVILEGES, keys: [labKey] },
  ];
  return {
    labKey,
    withheld: [
      { id: "supervisor-password", value: password },
      { id: "lab-key", value: labKey },
      { id: "lab-password", value: labPassword },
      { id: "appliance-key", value: identity.keyPem },
      ...aliases.flatMap(({ name, descr, detail }) => [
        { id: `description-of-${name}`, value: descr },
        { id: `detail-of-${name}`, value: detail.join() },
      ]),
    ],
    standIn: {
      ...PLACE,
      identity,
      stateDirectory,
      configuration: {
        users: [...usersOf(accounts, randomBytes)],
        keys: [...keysOf(accounts)],
        aliases,
      },
    },
    control: supervisorControl({
      endpoint: {
        address: PLACE.address,
        port: PLACE.port,
        host: PLACE.name,
        ca: identity.caCertificatePem,
        deadlines: DEADLINES,
      },
      supervisor: { name: SUPERVISOR.name, password },
      lab: { name: "lab", key: new LabCredential(labKey) },
    }),
  };
};
