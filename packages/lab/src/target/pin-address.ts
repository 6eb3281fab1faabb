import { DrydockError, quote } from "@drydock/evidence";
import { isLabAddress } from "./lab-address.js";
import type { LabTarget } from "./target.js";

/** Every address of a name, as the resolver of this machine gives them. */
export type Lookup = (name: string) => Promise<readonly string[]>;

/**
 * Guard: the address that all connections of this run go to. A name is looked up once, here, and
 * every answer has to be an address of a lab: what it resolves to later doesn't matter.
 *
 * @throws DrydockError LAB_TARGET_UNRESOLVED, LAB_TARGET_ELSEWHERE
 */
export const pinAddress = async ({ host }: LabTarget, lookup: Lookup): Promise<string> => {
  if (isLabAddress(host)) return host;
  const addresses = await lookup(host).catch(() => []);
  const [first] = addresses;
  if (first === undefined)
    throw new DrydockError("LAB_TARGET_UNRESOLVED", `${quote(host)} has no address here`, {
      fix: "Add the lab's address to this machine's hosts file.",
    });
  if (!addresses.every(isLabAddress))
    throw new DrydockError(
      "LAB_TARGET_ELSEWHERE",
      `${quote(host)} has an address here that is none of a lab's`,
      { fix: "Let the name stand for one address of RFC 5737 alone, such as 192.0.2.10." },
    );
  return first;
};
