import {
  type Digest,
  DrydockError,
  type Instant,
  maySign,
  type PublicKey,
  type Trust,
} from "@drydock/evidence";

/** Keys that may vouch for a policy: they come from whoever asks, never with the policy. */
export type PolicyKeys =
  | { readonly kind: "key"; readonly key: PublicKey }
  | { readonly kind: "trust"; readonly trust: Trust; readonly now: Instant };

/**
 * The key that a signature names, if it is one of those that may sign policies for a broker: from a
 * trust file it needs the namespace `policy` and the role `egress`, now.
 *
 * @throws DrydockError POLICY_KEY_UNTRUSTED
 */
export const trustedPolicyKey = (keyId: Digest, keys: PolicyKeys): PublicKey => {
  const refuse = (why: string): never => {
    throw new DrydockError("POLICY_KEY_UNTRUSTED", `the policy is signed by ${keyId}: ${why}`, {
      fix: "Have it signed by a key that you trust for policies, or name that key with --key or --trust.",
    });
  };
  switch (keys.kind) {
    case "key":
      return keys.key.keyId === keyId ? keys.key : refuse(`you named ${keys.key.keyId}`);
    case "trust": {
      const { trust, now } = keys;
      const authority = trust.authorities.find(({ key }) => key.keyId === keyId);
      if (authority === undefined) return refuse("the trust file doesn't list it");
      if (!maySign(authority, "policy", "egress", now) || now >= authority.notAfter)
        return refuse("the trust file doesn't let it sign policies for the egress role, now");
      return authority.key;
    }
  }
};
