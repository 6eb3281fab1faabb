import { DrydockError, quote } from "@drydock/evidence";

/** Where a stand-in listens, and what it is called. */
export interface Place {
  /** In one of the three blocks that RFC 5737 sets aside for documentation. */
  readonly address: string;
  readonly port: number;
  /** One label before `.lab.invalid`. */
  readonly name: string;
}

const DOCUMENTATION = /^(192\.0\.2|198\.51\.100|203\.0\.113)\.(0|[1-9][0-9]{0,2})$/;
const NAME = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.lab\.invalid$/;

/**
 * A guard: a stand-in never listens where it could be taken for something else. Addresses of the
 * documentation blocks are routed nowhere, and names under `.invalid` resolve nowhere (RFC 2606).
 * Loopback is refused, because what a lab may talk to doesn't include it.
 *
 * @throws DrydockError LAB_PLACE
 */
export const requirePlace = ({ address, port, name }: Place): void => {
  const [, , last = ""] = DOCUMENTATION.exec(address) ?? [];
  if (last === "" || Number(last) > 255) {
    refuse(`${quote(address)} is no address for a stand-in`, "name one such as 192.0.2.10");
  }
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    refuse(`${port} is no port`, "name one from 1 to 65535");
  }
  if (!NAME.test(name)) {
    refuse(`${quote(name)} is no name for a stand-in`, "name one such as appliance.lab.invalid");
  }
};

const refuse = (what: string, fix: string): never => {
  throw new DrydockError("LAB_PLACE", what, { fix });
};
