import { DrydockError } from "@drydock/evidence";
import { loadControllerKey, loadTrust, type StateLayout } from "../home/index.js";

/**
 * A controller can certify a broker's key only if its own may speak for brokers: those made by
 * earlier versions may not.
 *
 * @throws DrydockError KEY_ROLE
 */
export const requireBrokerTrust = (layout: StateLayout): void => {
  const { keyId } = loadControllerKey(layout).public;
  const authority = loadTrust(layout.trust).authorities.find(({ key }) => key.keyId === keyId);
  if (authority?.roles.includes("egress") === true) return;
  throw new DrydockError("KEY_ROLE", `the trust file doesn't let ${keyId} vouch for a broker`, {
    fix: "Run `drydock keys rotate`: the new key may. Evidence of the old one stays valid.",
  });
};
