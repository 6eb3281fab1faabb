import { DrydockError } from "@drydock/evidence";
import { isLabAddress } from "./lab-address.js";
import { isLabName } from "./lab-name.js";

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
