import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { signRelease } from "@drydock/boundary";
import { policyBytesToSign } from "@drydock/broker";
import { DrydockError, digestOf, readNamedFile, signIn } from "@drydock/evidence";
import { ensureState, loadControllerKey, loadTrust, revokeKey, rotateKeys } from "@drydock/trial";
import { directories, type JsonFlag, print, stateLayout } from "./context.js";

/** `drydock keys init` */
export const keysInit = (flags: JsonFlag): number => {
  const { layout, madeKeys } = ensureState(directories().state, new Date());
  if (!madeKeys)
    throw new DrydockError("KEY_EXISTS", `${layout.controllerKey} exists`, {
      fix: "Use `drydock keys rotate` to replace it.",
    });
  const { keyId } = loadControllerKey(layout).public;
  print(flags, { keyId, trust: layout.trust }, `${keyId}\ntrust file: ${layout.trust}\n`);
  return 0;
};

/** `drydock keys list` */
export const keysList = (flags: JsonFlag): number => {
  const { authorities } = loadTrust(stateLayout().trust);
  const keys = authorities.map(({ key, roles, namespaces, notBefore, notAfter, revoked }) => ({
    keyId: key.keyId,
    roles,
    namespaces,
    notBefore,
    notAfter,
    revoked,
  }));
  print(
    flags,
    { keys },
    keys
      .map(
        ({ keyId, notAfter, revoked, namespaces }) =>
          `${keyId}  ${revoked === null ? `until ${notAfter}` : `revoked ${revoked}`}  ${namespaces.join(",")}\n`,
      )
      .join(""),
  );
  return 0;
};

/** `drydock keys export`: the trust file, for whoever is to check evidence, or the key alone. */
export const keysExport = (flags: JsonFlag & { readonly pem?: boolean }): number => {
  if (flags.pem === true) {
    const { keyId, object } = loadControllerKey(stateLayout()).public;
    const pem = object.export({ format: "pem", type: "spki" }).toString();
    print(flags, { keyId, pem }, pem);
    return 0;
  }
  loadTrust(stateLayout().trust);
  process.stdout.write(`${readFileSync(stateLayout().trust, "utf8")}\n`);
  return 0;
};

/** `drydock keys rotate` */
export const keysRotate = (flags: JsonFlag): number => {
  const { layout } = ensureState(directories().state, new Date());
  const { keyId } = rotateKeys(layout, randomBytes(32), new Date()).public;
  ensureState(directories().state, new Date());
  print(flags, { keyId }, `${keyId}\n`);
  return 0;
};

/** `drydock keys revoke KEY` */
export const keysRevoke = (keyId: string, flags: JsonFlag): number => {
  revokeKey(stateLayout(), keyId, new Date());
  ensureState(directories().state, new Date());
  print(flags, { revoked: keyId }, `revoked ${keyId}\n`);
  return 0;
};

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
