import { policyBytes } from "@drydock/broker";
import { DrydockError } from "@drydock/evidence";
import type { LaunchEgress } from "@drydock/trial";
import { egressFromFlags } from "../commands/egress-flags.js";
import { sealSecrets } from "./secrets.js";
import type { LabEgress } from "./types.js";

/**
 * What the guest may reach, as it goes into the manifest, and what its broker needs for it.
 *
 * @throws DrydockError USAGE, FILE_UNREADABLE, and what reading and checking a policy, and secrets,
 *   throws
 */
export const sealedEgress = ({
  allow,
  policy,
  resolvers,
  key,
  trust,
  signature,
  secrets = [],
  upstreamRoots,
}: LabEgress): LaunchEgress | null => {
  if (policy === undefined && (key ?? trust ?? signature) !== undefined)
    throw new DrydockError("USAGE", "a key or a signature of a policy, and no policy", {
      fix: "Name the policy's file.",
    });
  const loaded = egressFromFlags({
    ...(allow === undefined ? {} : { allow }),
    ...(policy === undefined ? {} : { policy }),
    ...(resolvers === undefined ? {} : { resolver: resolvers }),
    proof: {
      ...(key === undefined ? {} : { key }),
      ...(trust === undefined ? {} : { trust }),
      ...(signature === undefined ? {} : { signature }),
    },
  });
  const { sealed, ...given } = sealSecrets(loaded, secrets, upstreamRoots ?? null);
  if (loaded === null) return null;
  const by = loaded.signature;
  return {
    sealed: {
      policy: policyBytes(loaded.policy).toString("utf8"),
      signature:
        by === null
          ? null
          : {
              keyId: by.keyId,
              digest: by.digest,
              value: Buffer.from(by.value).toString("base64"),
            },
      ...sealed,
    },
    ...given,
  };
};
