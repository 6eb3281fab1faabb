import { type LabSecrets, labAccounts } from "../accounts.js";
import type { Stored } from "../configuration/index.js";
import { createApplianceIdentity } from "./ca.js";
import { makeLink } from "./link.js";
import type { Place } from "./place.js";
import { type ApplianceOptions, type RunningAppliance, startAppliance } from "./start.js";

/** Longer than any session; a certificate of one that is forgotten ends by itself. */
const LIFETIME_MS = 7 * 24 * 3_600_000;

export interface LabApplianceOptions
  extends Place,
    Pick<ApplianceOptions, "stateDirectory" | "clock" | "random"> {
  /** More addresses of the same link, for what is to stand between a client and the stand-in. */
  readonly besides: readonly string[];
  /** Identity of the network namespace that this one was made in. */
  readonly starter: string;
  readonly secrets: LabSecrets;
  /** An alias to begin with. */
  readonly candidate: string | null;
  readonly apiVersion: string;
}

/**
 * The stand-in of a lab: its link in the network namespace of this process, which was made for it,
 * a certificate of its own, three accounts, and the candidate.
 *
 * @throws DrydockError LAB_PLACE, LAB_NAMESPACE, LAB_STATE
 */
export const startLabAppliance = async ({
  besides,
  starter,
  secrets,
  candidate,
  apiVersion,
  ...options
}: LabApplianceOptions): Promise<RunningAppliance> => {
  const { address, name, clock, random } = options;
  makeLink([address, ...besides], starter);
  const identity = await createApplianceIdentity({
    name,
    address,
    now: new Date(clock()),
    lifetimeMs: LIFETIME_MS,
    random,
  });
  return startAppliance({
    ...options,
    identity,
    setUp: {
      accounts: labAccounts(secrets),
      ...(candidate === null ? {} : { configuration: { aliases: [aliasNamed(candidate)] } }),
    },
    behaviour: { apiVersion },
  });
};

/** Refers to nothing, and nothing refers to it. */
const aliasNamed = (name: string): Stored => ({
  name,
  type: "host",
  descr: "synthetic, for a rehearsal",
  address: ["192.0.2.77"],
  detail: ["synthetic"],
});
