import { signRelease } from "@drydock/boundary";
import { policyBytesToSign } from "@drydock/broker";
import { DrydockError, digestOf, readNamedFile, signIn } from "@drydock/evidence";
import { loadControllerKey } from "@drydock/trial";
import { type JsonFlag, stateLayout } from "./context.js";

/** What a person signs. */
const SIGNABLE = ["policy", "plan", "approval", "promotion"] as const;

/** `drydock sign FILE --namespace NS`: a detached signature that is worth nothing elsewhere. */
export const signFile = (
  path: string,
  flags: JsonFlag & { readonly namespace: string },
): number => {
  if (flags.namespace === "release") return signReleaseFile(path);
  const namespace = SIGNABLE.find((known) => known === flags.namespace);
  if (namespace === undefined)
    throw new DrydockError(
      "NAMESPACE_UNKNOWN",
      `nothing is signed by hand in "${flags.namespace}"`,
      {
        fix: `Use one of ${[...SIGNABLE, "release"].join(", ")}.`,
      },
    );
  const bytes = readNamedFile(path);
  // A policy is signed for what it means, not for how it is laid out.
  const signed = namespace === "policy" ? policyBytesToSign(bytes, { file: path }) : bytes;
  const key = loadControllerKey(stateLayout());
  const value = signIn(namespace, signed, key).toString("base64");
  const signature = { namespace, keyId: key.public.keyId, digest: digestOf(signed), value };
  process.stdout.write(`${JSON.stringify(signature)}\n`);
  return 0;
};

/** An appliance's release has a signature format of its own, exact to the byte: no line end. */
const signReleaseFile = (path: string): number => {
  process.stdout.write(signRelease(readNamedFile(path), loadControllerKey(stateLayout())));
  return 0;
};
