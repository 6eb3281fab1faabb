/** On every network and container that is made for a plan: whose it is there. */
export const PLAN_ADDRESS_LABEL = "dev.drydock.plan-address";

export const planAddressOf = (labels: Readonly<Record<string, string>>): string | null =>
  Object.hasOwn(labels, PLAN_ADDRESS_LABEL) ? (labels[PLAN_ADDRESS_LABEL] ?? null) : null;
