import { DrydockError, quote } from "@drydock/evidence";
import { isLabAddress, isLabName } from "../../target/index.js";

/** Where a stand-in listens, and what it is called. */
export interface Place {
  /** In one of the three blocks that RFC 5737 sets aside for documentation. */
  readonly address: string;
  readonly port: number;
  /** One label before `.lab.invalid`. */
  readonly name: string;
}

/**
 * A guard: a stand-in never listens where it could be taken for something else. Addresses of the
 * documentation blocks are routed nowhere, and names under `.invalid` resolve nowhere (RFC 2606).
 * Loopback is refused, because what a lab may talk to doesn't include it.
 *
 * @throws DrydockError LAB_PLACE
 */
export const requirePlace = ({ address, port, name }: Place): void => {
  if (!isLabAddress(address)) {
    refuse(`${quote(address)} is no address for a stand-in`, "name one such as 192.0.2.10");
  }
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    refuse(`${port} is no port`, "name one from 1 to 65535");
  }
  if (!isLabName(name)) {
    refuse(`${quote(name)} is no name for a stand-in`, "name one such as appliance.lab.invalid");
  }
};

const refuse = (what: string, fix: string): never => {
  throw new DrydockError("LAB_PLACE", what, { fix });
};
