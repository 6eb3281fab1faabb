import {
  type Boundary,
  type End,
  type Place,
  parseIpv4,
  placesNamed,
  type Service,
} from "@drydock/boundary";
import { quote } from "@drydock/evidence";
import { usage } from "../usage.js";

/** A flow that somebody asks about. */
export interface AskedFlow {
  readonly source: Place;
  readonly destination: End;
  readonly service: Service;
}

const EXAMPLE = "Say --explain web database@lan tcp 5432, or icmp without a port.";
const PORT = /^[1-9][0-9]{0,4}$/;

/**
 * Reads SOURCE DESTINATION PROTOCOL [PORT], each end as a node's or zone's name, name@network or an
 * address.
 *
 * @throws DrydockError USAGE
 */
export const parseAskedFlow = (boundary: Boundary, asked: readonly string[]): AskedFlow => {
  const [from, to, protocol, port, ...rest] = asked;
  if (from === undefined || to === undefined || protocol === undefined || rest.length > 0)
    throw usage("--explain takes a source, a destination, a protocol and a port", EXAMPLE);
  const service = serviceOf(protocol, port);
  return { source: placeOf(boundary, from), destination: endOf(boundary, to), service };
};

const serviceOf = (protocol: string, port: string | undefined): Service => {
  if (protocol === "icmp" && port === undefined) return { protocol, port: null };
  const hasPorts = protocol === "tcp" || protocol === "udp";
  if (hasPorts && port !== undefined && PORT.test(port) && Number(port) <= 65_535)
    return { protocol, port: Number(port) };
  throw usage(
    `${quote(port === undefined ? protocol : `${protocol} ${port}`)} is no service`,
    EXAMPLE,
  );
};

const placeOf = (boundary: Boundary, name: string): Place => {
  const [place, ...others] = placesNamed(boundary, name);
  if (place === undefined) throw usage(`nobody is called ${quote(name)}`, EXAMPLE);
  if (others.length === 0) return place;
  const ways = [place, ...others].map(({ network }) => `${name}@${lastName(network)}`).join(" or ");
  throw usage(`${quote(name)} is on more than one network`, `Say ${ways}.`);
};

const lastName = (address: string): string => address.slice(address.lastIndexOf(".") + 1);

/** An address that nobody here has is outside. */
const endOf = (boundary: Boundary, name: string): End => {
  const address = parseIpv4(name);
  return address !== null && placesNamed(boundary, name).length === 0
    ? { outside: address }
    : placeOf(boundary, name);
};
