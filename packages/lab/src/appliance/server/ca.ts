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
 * the process, since WebCrypto won't export it, and signs nothing else: its certificate permits this
 * name and this address only.
 */
export const createApplianceIdentity = async (
  options: IdentityOptions,
): Promise<ApplianceIdentity> => {
  const { issueIdentity } = await import("./appliance-certificates.js");
  return issueIdentity(options);
};
