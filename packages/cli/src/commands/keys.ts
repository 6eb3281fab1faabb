import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { DrydockError } from "@drydock/evidence";
import {
  ensureState,
  loadControllerKey,
  loadTrust,
  revokeKey,
  rotateKeys,
  withKeyLock,
} from "@drydock/trial";
import { directories, type JsonFlag, print, stateLayout } from "./context.js";

/** `drydock keys init` */
export const keysInit = async (flags: JsonFlag): Promise<number> => {
  const { layout, madeKeys } = await ensureState(directories().state, new Date());
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
export const keysRotate = async (flags: JsonFlag): Promise<number> => {
  const { layout } = await ensureState(directories().state, new Date());
  const rotate = () => rotateKeys(layout, randomBytes(32), new Date());
  const { keyId } = (await withKeyLock(layout, rotate)).public;
  await ensureState(directories().state, new Date());
  print(flags, { keyId }, `${keyId}\n`);
  return 0;
};

/** `drydock keys revoke KEY` */
export const keysRevoke = async (keyId: string, flags: JsonFlag): Promise<number> => {
  const layout = stateLayout();
  loadTrust(layout.trust);
  await withKeyLock(layout, () => revokeKey(layout, keyId, new Date()));
  await ensureState(directories().state, new Date());
  print(flags, { revoked: keyId }, `revoked ${keyId}\n`);
  return 0;
};
