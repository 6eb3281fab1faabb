import { existsSync } from "node:fs";
import type { Digest } from "@drydock/evidence";
import type { Approvers } from "@drydock/lab";
import { loadControllerKey, loadTrust } from "@drydock/trial";
import { stateLayout } from "../context.js";

/**
 * Whom this machine's owner lists as persons who approve. The place is fixed: no flag, no variable
 * and no state directory names another, and nothing here writes it.
 */
const APPROVERS = "/etc/drydock/approvers.json";

/** @throws DrydockError what `loadTrust` throws for a list that is none */
export const listedApprovers = (): Approvers => ({
  authorities: existsSync(APPROVERS) ? loadTrust(APPROVERS).authorities : [],
  machine: ownKeys(),
});

/** Whatever signs here by itself is nobody's word. */
const ownKeys = (): readonly Digest[] => {
  const layout = stateLayout();
  return existsSync(layout.controllerKey) ? [loadControllerKey(layout).public.keyId] : [];
};
