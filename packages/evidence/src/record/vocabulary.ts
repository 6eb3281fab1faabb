/** Who wrote a log. */
export const ROLES = ["controller", "port", "egress", "gateway", "supervisor", "observer"] as const;
export type Role = (typeof ROLES)[number];

/** Who can know a fact. A class travels with every record, and no signature upgrades it. */
export const WITNESS_CLASSES = [
  "HOST_OBSERVED",
  "BROKER_OBSERVED",
  "CAPACITY_OBSERVED",
  "PROVIDER_RECONCILED",
  "GUEST_ASSERTED",
  "MODEL_CHECKED",
  "REPLAYED",
  "HUMAN_APPROVED",
] as const;
export type WitnessClass = (typeof WITNESS_CLASSES)[number];

/** How the host saw it: from the kernel, or from the VMM, whose word is void after an escape. */
export const MECHANISMS = ["KERNEL", "VMM"] as const;
export type Mechanism = (typeof MECHANISMS)[number];

/** How long a record has to be kept; an archive may drop `operational` ones with a tombstone. */
export const RETENTION = ["audit", "operational"] as const;
export type Retention = (typeof RETENTION)[number];
