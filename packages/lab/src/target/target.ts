import { DrydockError, quote } from "@drydock/evidence";
import { isLabAddress, isLabName } from "./allow-list.js";

/** The one appliance that a lab talks to. */
export interface LabTarget {
  /** `NAME.lab.invalid`, or an address of RFC 5737. */
  readonly host: string;
  readonly port: number;
}

const HTTPS_PORT = 443;
const MAX_PORT = 65_535;
/** The whole text, so that nothing stands beside host and port: no path, query, user or fragment. */
const URL_FORM = /^https:\/\/([a-z0-9.-]{1,253})(?::([1-9][0-9]{0,4}))?$/;

/**
 * Reads `https://HOST[:PORT]`. There is no option that accepts another host.
 *
 * @throws DrydockError LAB_TARGET; the text isn't repeated, since it may be a production address
 */
export const parseTarget = (url: string): LabTarget => {
  const [, host, digits = `${HTTPS_PORT}`] = URL_FORM.exec(url) ?? [];
  if (host === undefined) throw refusal("it is not https://HOST or https://HOST:PORT alone");
  const port = Number(digits);
  if (port > MAX_PORT) throw refusal("its port is above 65535");
  if (!isLabName(host) && !isLabAddress(host)) throw refusal("its host is not one of a lab");
  return { host, port };
};

const refusal = (why: string): DrydockError =>
  new DrydockError("LAB_TARGET", `the lab's URL is refused: ${why}`, {
    fix: "Give https://NAME.lab.invalid, or an address of 192.0.2.0/24, 198.51.100.0/24 or 203.0.113.0/24; nothing widens this.",
  });

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
