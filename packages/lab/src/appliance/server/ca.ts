import { createRunCa } from "@drydock/broker";

/** What an appliance shows, and what its clients verify it by. All PEM; the keys are in memory only. */
export interface ApplianceIdentity {
  /** Public: the one root that a client of this appliance is to trust. */
  readonly caCertificatePem: string;
  readonly certificatePem: string;
  readonly keyPem: string;
}

export interface IdentityOptions {
  /** `*.lab.invalid`, one label deep. */
  readonly name: string;
  /** IPv4. */
  readonly address: string;
  readonly now: Date;
  readonly lifetimeMs: number;
  readonly random: (length: number) => Uint8Array;
}

/**
 * A certification authority for one appliance, and its certificate. The authority's key can't leave
 * the process and signs nothing else: its certificate permits this name and this address only.
 */
export const createApplianceIdentity = async ({
  name,
  address,
  ...validity
}: IdentityOptions): Promise<ApplianceIdentity> => {
  const issuer = "Drydock stand-in appliance";
  const ca = await createRunCa({ issuer, hosts: [name], addresses: [address], ...validity });
  return { caCertificatePem: ca.caCertificatePem, ...(await ca.identityFor(name)) };
};
