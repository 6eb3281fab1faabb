import { DrydockError } from "@drydock/evidence";
import { formatAuthority } from "../authority/authority.js";
import type { EgressGrant } from "../policy/model.js";
import type { SecretFlag } from "./flag.js";

/**
 * A secret is for an authority that the policy grants as `tls`; it grants nothing by itself.
 *
 * @throws DrydockError SECRET_NOT_GRANTED
 */
export const checkSecretsGranted = (
  flags: readonly SecretFlag[],
  grants: readonly EgressGrant[],
): void => {
  for (const { name, authority } of flags) {
    const text = formatAuthority(authority);
    const granted = grants.some(
      (grant) => grant.protocol === "tls" && formatAuthority(grant.authority) === text,
    );
    if (granted) continue;
    throw new DrydockError("SECRET_NOT_GRANTED", `--secret ${name}: ${text} isn't granted as tls`, {
      fix: `Grant it with --allow ${text}, or in the policy.`,
    });
  }
};
