import { refuseValue } from "../answer/index.js";
import type { Configuration, Stored } from "../configuration/index.js";
import {
  isFqdn,
  isPort,
  isPortRange,
  type Model,
  parseIp,
  parseSubnet,
  remark,
  text,
} from "../field/index.js";

/** Longest name that the packet filter takes. */
const MAX_NAME_BYTES = 31;

/** What the packet filter's language means by these is fixed. */
const RESERVED = [
  "all",
  "any",
  "block",
  "from",
  "in",
  "inet",
  "inet6",
  "keep",
  "log",
  "on",
  "out",
  "pass",
  "port",
  "proto",
  "quick",
  "state",
  "to",
];

/** A network alias may hold an alias that holds others; a port alias only ports. */
const otherAlias = ({ aliases }: Configuration, name: string, isPortAlias: boolean): boolean =>
  aliases.some((alias) => alias["name"] === name && (alias["type"] === "port") === isPortAlias);

const verifyName = (name: string, configuration: Configuration): void => {
  if (RESERVED.includes(name)) {
    refuseValue(
      "FILTER_NAME_VALIDATOR_RESERVED_NAME_USED",
      `Field 'name' cannot be '${name}' because it is a name reserved by the system.`,
    );
  }
  if (name.startsWith("pkg_")) {
    refuseValue(
      "FILTER_NAME_VALIDATOR_CANNOT_START_WITH_PKG",
      `Field 'name' cannot be '${name}' because it starts with 'pkg_'.`,
    );
  }
  if (/^[0-9]+$/.test(name)) {
    refuseValue(
      "FILTER_NAME_VALIDATOR_CANNOT_BE_NUMERICAL",
      `Field 'name' cannot be '${name}' because it is entirely numerical.`,
    );
  }
  if (configuration.interfaces.some(({ id }) => id === name)) {
    refuseValue(
      "FILTER_NAME_VALIDATOR_NAME_IN_USE_BY_INTERFACE",
      `Field 'name' cannot be '${name}' because it is in use by an existing interface.`,
    );
  }
  if (!/^[A-Za-z0-9_]+$/.test(name)) {
    refuseValue("INVALID_FIREWALL_ALIAS_NAME", `Invalid firewall alias name '${name}'.`);
  }
};

const verifyAddress = (address: string, alias: Stored, configuration: Configuration): void => {
  const { id, what, fits } = ADDRESS_RULES[String(alias["type"])] ?? NETWORK_RULE;
  if (fits(address, configuration)) return;
  refuseValue(id, `'address' value '${address}' is not a valid ${what}, or alias.`);
};

interface AddressRule {
  readonly id: string;
  readonly what: string;
  readonly fits: (address: string, configuration: Configuration) => boolean;
}

const NETWORK_RULE: AddressRule = {
  id: "INVALID_NETWORK_ALIAS_ADDRESS",
  what: "CIDR, FQDN",
  fits: (address, configuration) =>
    parseSubnet(address) !== null || isFqdn(address) || otherAlias(configuration, address, false),
};

const ADDRESS_RULES: Readonly<Record<string, AddressRule>> = {
  network: NETWORK_RULE,
  host: {
    id: "INVALID_HOST_ALIAS_ADDRESS",
    what: "IP, FQDN",
    fits: (address, configuration) =>
      parseIp(address) !== null || isFqdn(address) || otherAlias(configuration, address, false),
  },
  port: {
    id: "INVALID_PORT_ALIAS_ADDRESS",
    what: "port, range",
    fits: (address, configuration) =>
      isPort(address) || isPortRange(address) || otherAlias(configuration, address, true),
  },
};

export const aliasModel: Model = {
  list: "aliases",
  names: ["Firewall Alias", "Firewall Aliases"],
  subsystem: "aliases",
  fields: [
    text("name", {
      required: true,
      unique: true,
      editable: false,
      maxLength: MAX_NAME_BYTES,
      check: (name, { configuration }) => verifyName(name, configuration),
    }),
    text("type", { required: true, choices: ["host", "network", "port"] }),
    remark("descr"),
    text("address", {
      fallback: [],
      allowEmpty: true,
      many: { delimiter: " ", minimum: 0 },
      verify: (address, { object, configuration }) =>
        verifyAddress(String(address), object, configuration),
    }),
    // The package means to add what is missing of these, and loses it: a list stays shorter.
    text("detail", {
      fallback: [],
      allowEmpty: true,
      many: { delimiter: "||", minimum: 0 },
      verify: (_detail, { object }) => {
        if (lengthOf(object["detail"]) > lengthOf(object["address"])) {
          refuseValue(
            "TOO_MANY_ALIAS_DETAILS",
            "Aliases cannot contain more 'detail' items than 'address' items.",
          );
        }
      },
    }),
  ],
};

const lengthOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0);
