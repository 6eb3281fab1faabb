import { refuseValue } from "../answer/index.js";
import type { Configuration } from "../configuration/index.js";
import { type Field, type Surroundings, text } from "./field.js";
import { isPort, isPortRange, parseIp, parseSubnet } from "./ip.js";

type Options = Omit<Field, "name" | "type" | "check">;

/** Which kinds of value an address may be, besides what every address may be. */
interface AddressKinds {
  readonly ip?: boolean;
  readonly subnet?: boolean;
  readonly alias?: boolean;
  readonly interface?: boolean;
  readonly interfaceIp?: boolean;
  readonly any?: boolean;
  readonly invert?: boolean;
  readonly self?: boolean;
}

const isAlias = (
  { aliases }: Configuration,
  name: string,
  wanted: (type: unknown) => boolean,
): boolean => aliases.some((alias) => alias["name"] === name && wanted(alias["type"]));

const isPortAlias = (configuration: Configuration, name: string): boolean =>
  isAlias(configuration, name, (type) => type === "port");

const isAddressAlias = (configuration: Configuration, name: string): boolean =>
  isAlias(configuration, name, (type) => type !== "port");

const isInterface = ({ interfaces }: Configuration, name: string): boolean =>
  interfaces.some(({ descr }) => descr === name);

/** An address in a rule: `any`, IP or CIDR, alias, interface, `INTERFACE:ip`; `!` inverts it. */
export const filterAddress = (
  name: string,
  kinds: AddressKinds = {},
  options: Options = {},
): Field => {
  const { any = true, invert = true } = kinds;
  return text(name, {
    ...options,
    check: (given, { configuration }) => {
      const inverted = invert && given.startsWith("!");
      const value = inverted ? given.slice(1) : given;
      if (inverted && value === "any") {
        refuseValue(
          "FILTER_RULE_ADDRESS_FIELD_WITH_INVERT_ANY",
          `Field \`${name}\` cannot use invert prefix (!) with value \`any\`.`,
        );
      }
      if (any && value === "any") return;
      if (!isAddress(value, kinds, configuration)) {
        refuseValue(
          "FILTER_ADDRESS_FIELD_INVALID",
          `Field \`${name}\` value \`${value}\` is invalid.`,
        );
      }
    },
  });
};

/** An address that traffic is sent to: an IP, an alias, or an interface's address. */
export const specialNetwork = (name: string, kinds: AddressKinds, options: Options = {}): Field =>
  text(name, {
    ...options,
    check: (value, { configuration }) => {
      if (!isAddress(value, { ...kinds, self: false }, configuration)) {
        refuseValue(
          "SPECIAL_NETWORK_FIELD_INVALID",
          `Field \`${name}\` value \`${value}\` is invalid.`,
        );
      }
    },
  });

const isAddress = (value: string, kinds: AddressKinds, configuration: Configuration): boolean => {
  const { ip = true, subnet = true, alias = true, self = true, interfaceIp = true } = kinds;
  if (ip && parseIp(value) !== null) return true;
  if (subnet && parseSubnet(value) !== null) return true;
  if (alias && isAddressAlias(configuration, value)) return true;
  if (self && value === "(self)") return true;
  if (interfaceIp && value.endsWith(":ip")) return isInterface(configuration, value.slice(0, -3));
  return (kinds.interface ?? true) && isInterface(configuration, value);
};

interface PortKinds {
  readonly alias?: boolean;
  readonly range?: boolean;
}

/** A port number, `a:b`, or the name of a port alias. */
export const port = (name: string, kinds: PortKinds = {}, options: Options = {}): Field => {
  const { alias = true, range = true } = kinds;
  return text(name, {
    ...options,
    check: (value, { configuration }) => {
      if (alias && isPortAlias(configuration, value)) return;
      if (range && isPortRange(value)) return;
      if (isPort(value)) return;
      refuseValue(
        "PORT_FIELD_INVALID",
        `Field \`${name}\` contains invalid port value \`${value}\`.`,
      );
    },
  });
};

/** One of the appliance's interfaces, by the name that the API shows. */
export const interfaceName = (
  name: string,
  options: Options = {},
  besides: readonly string[] = [],
): Field =>
  text(name, {
    ...options,
    check: (value, { configuration }) => {
      if (!besides.includes(value) && !isInterface(configuration, value)) {
        refuseValue("FIELD_INVALID_CHOICE", `Field \`${name}\` must be an existing interface`);
      }
    },
  });

/** A network with its prefix; `alias` where the name of an alias does as well. */
export const subnet = (
  name: string,
  kinds: { readonly alias: boolean; readonly families: readonly (4 | 6)[] },
  options: Options = {},
): Field =>
  text(name, {
    ...options,
    check: (value: string, { configuration }: Surroundings) => {
      const network = parseSubnet(value);
      if (network !== null && kinds.families.includes(network.address.family)) return;
      if (kinds.alias && isAddressAlias(configuration, value)) return;
      refuseValue(
        "SUBNET_VALIDATOR_FAILED",
        `Field \`${name}\` must be a subnet, received \`${value}\`.`,
      );
    },
  });
