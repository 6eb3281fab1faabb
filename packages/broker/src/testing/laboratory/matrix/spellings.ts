import type { Reason } from "../../../decision/index.js";
import type { VariantKind } from "./model.js";

/** What is granted, and where it really is. */
export interface Place {
  readonly host: string;
  readonly port: number;
  readonly v4: string;
  readonly v6: string;
}

export interface Spelling {
  readonly kind: Extract<VariantKind, "address" | "name" | "port">;
  readonly name: string;
  readonly authority: string;
  /** Null: it is the granted authority. */
  readonly connect: Reason | null;
  /** Only where it differs, because another form of target has other delimiters. */
  readonly absolute?: Reason | null;
}

/** Every way to write where a request goes that some parser, resolver or dialler takes. */
export const spellings = ({ host, port, v4, v6 }: Place): readonly Spelling[] => {
  const [a = 0, b = 0, c = 0, d = 0] = v4.split(".").map(Number);
  const whole = ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
  const hex = (value: number): string => value.toString(16);
  const octal = (value: number): string => value.toString(8);
  const groups = `${hex((a << 8) | b)}:${hex((c << 8) | d)}`;
  const at = (text: string): string => `${text}:${port}`;
  const address = (name: string, text: string): Spelling => ({
    kind: "address",
    name,
    authority: at(text),
    connect: "IP_LITERAL",
  });
  const named = (
    name: string,
    authority: string,
    connect: Reason | null,
    absolute?: Reason | null,
  ): Spelling => ({
    kind: "name",
    name,
    authority,
    connect,
    ...(absolute === undefined ? {} : { absolute }),
  });
  const ported = (
    name: string,
    text: string,
    connect: Reason | null,
    absolute?: Reason | null,
  ): Spelling => ({ ...named(name, `${host}${text}`, connect, absolute), kind: "port" });
  const label = host.split(".")[0] ?? "";
  const parent = host.slice(label.length + 1);

  return [
    address("dotted quad", v4),
    address("dotted quad with a final dot", `${v4}.`),
    address("decimal", `${whole}`),
    address("hexadecimal", `0x${hex(whole)}`),
    address("hexadecimal in capitals", `0X${hex(whole).toUpperCase()}`),
    address("octal", `0${octal(whole)}`),
    address("two parts", `${a}.${whole & 0xffffff}`),
    address("three parts", `${a}.${b}.${(c << 8) | d}`),
    address("hexadecimal parts", [a, b, c, d].map((part) => `0x${hex(part)}`).join(".")),
    address("octal parts", [a, b, c, d].map((part) => `0${octal(part)}`).join(".")),
    address("mixed bases", `0x${hex(a)}.0${octal(b)}.${c}.${d}`),
    address("leading zeros", [a, b, c, d].map((part) => `${part}`.padStart(3, "0")).join(".")),
    address("decimal beyond 32 bits", `${whole + 2 ** 32}`),
    address(
      "full-width digits",
      v4.replace(/[0-9]/g, (digit) => String.fromCharCode(0xff10 + Number(digit))),
    ),
    address("ideographic full stops", v4.replaceAll(".", "\u3002")),
    address("bracketed IPv6", `[${v6}]`),
    address("bare IPv6", v6),
    address(
      "IPv6 written out",
      `[${v6
        .split(":")
        .map((group) => group.padStart(4, "0"))
        .join(":")}]`,
    ),
    address("IPv4-mapped, dotted", `[::ffff:${v4}]`),
    address("IPv4-mapped, hexadecimal", `[::ffff:${groups}]`),
    address("IPv4-compatible", `[::${v4}]`),
    address("NAT64, well-known prefix", `[64:ff9b::${groups}]`),
    address("6to4", `[2002:${groups}::1]`),
    address("IPv6 with a zone", `[${v6}%25lo]`),
    address("IPv6 with a bare zone", `[${v6}%lo]`),
    address("IPv6 without brackets, mapped", `::ffff:${v4}`),
    address("IPv4 in brackets", `[${v4}]`),
    address("a future address in brackets", `[v1.${v4}]`),
    address("the granted name in brackets", `[${host}]`),
    address("loopback", "127.0.0.1"),
    address("loopback, short", "127.1"),
    address("loopback, zero", "0"),
    address("loopback, IPv6", "[::1]"),
    address("cloud metadata", "169.254.169.254"),
    address("cloud metadata, decimal", "2852039166"),
    address("cloud metadata, mapped", "[::ffff:169.254.169.254]"),
    address("private", "10.0.0.1"),

    named("capitals", at(host.toUpperCase()), null),
    named("a final dot", at(`${host}.`), null),
    named("two final dots", at(`${host}..`), "NAME_INVALID"),
    named("a leading dot", at(`.${host}`), "NAME_INVALID"),
    named("an empty label", at(`${label}..${parent}`), "NAME_INVALID"),
    named("one label", at(label), "NAME_INVALID"),
    named("localhost", at("localhost"), "NAME_INVALID"),
    named("a subdomain", at(`x.${host}`), "AUTHORITY_NOT_GRANTED"),
    named("the parent", at(parent), "AUTHORITY_NOT_GRANTED"),
    named("a sibling", at(`x${label}.${parent}`), "AUTHORITY_NOT_GRANTED"),
    named("the granted name as a prefix", at(`${host}.evil.example`), "AUTHORITY_NOT_GRANTED"),
    named("the granted name as a suffix", at(`evil${host}`), "AUTHORITY_NOT_GRANTED"),
    named("an address as a name", at(`${v4}.nip.example`), "AUTHORITY_NOT_GRANTED"),
    named("a wildcard", at(`*.${parent}`), "WILDCARD"),
    named("a wildcard in a label", at(`${label}*.${parent}`), "WILDCARD"),
    named("user information", `user@${at(host)}`, "USERINFO"),
    named("the granted name as user information", `${at(host)}@${at("evil.example")}`, "USERINFO"),
    named("a URL", `https://${at(host)}`, "URL", "NAME_INVALID"),
    named("a path behind it", `${at(host)}/`, "URL", "PATH_AMBIGUOUS"),
    named(
      "a path before the port",
      `${host}/:${port}`,
      "URL",
      port === 80 ? "RULE_NOT_GRANTED" : "PORT_NOT_GRANTED",
    ),
    named("a backslash", at(`${host}\\@evil.example`), "URL"),
    named("a fragment", `evil.example#.${at(host)}`, "URL", "REQUEST_SYNTAX"),
    named("a query", `evil.example?.${at(host)}`, "URL", "AUTHORITY_NOT_GRANTED"),
    named("a percent escape", at(host.replace(".", "%2e")), "PERCENT_ESCAPE"),
    named("an escaped NUL", at(`${host}%00.evil.example`), "PERCENT_ESCAPE"),
    named("a NUL", at(`${host}\0.evil.example`), "REQUEST_SYNTAX"),
    named("a tab", at(`${host}\t`), "CONTROL_BYTE"),
    named("a space", at(`${host} `), "REQUEST_SYNTAX"),
    named("an escape character", at(`${host}\x1b`), "REQUEST_SYNTAX"),
    named("a control character of Latin-1", at(`${host}\x85`), "CONTROL_BYTE"),
    named("a bare CR", at(`${host}\r`), "REQUEST_SYNTAX"),
    named("an underscore", at(`_${host}`), "NAME_INVALID"),
    named("a leading hyphen", at(`-${host}`), "NAME_INVALID"),
    named("a trailing hyphen", at(`${label}-.${parent}`), "NAME_INVALID"),
    named("a label of 64", at(`${"a".repeat(64)}.${parent}`), "NAME_INVALID"),
    named("a name of 254", at(`${"a.".repeat(121)}${host}`.slice(-254)), "NAME_INVALID"),
    named("a Cyrillic letter", at(host.replace("e", "\u0435")), "NAME_IDNA"),
    named(
      "full-width letters",
      at(host.replace(/[a-z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0))),
      "NAME_IDNA",
    ),
    named("a soft hyphen", at(`${label}\u00ad.${parent}`), "NAME_IDNA"),
    named("a Kelvin sign", at(`\u212a.${parent}`), "NAME_IDNA"),
    named("an A-label that isn't one", at(`xn--a.${parent}`), "NAME_IDNA"),
    named("a numeric last label", at(`${host}.1`), "NAME_INVALID"),

    ported("another", ":8443", "PORT_NOT_GRANTED"),
    ported("a leading zero", `:0${port}`, "PORT_INVALID"),
    ported("a plus sign", `:+${port}`, "PORT_INVALID"),
    ported("a minus sign", `:-${port}`, "PORT_INVALID"),
    ported("hexadecimal", `:0x${hex(port)}`, "PORT_INVALID"),
    ported("with an exponent", `:${port}e0`, "PORT_INVALID"),
    ported("zero", ":0", "PORT_INVALID"),
    ported("beyond 16 bits", `:${port + 65_536}`, "PORT_INVALID"),
    ported("a service's name", ":https", "PORT_INVALID"),
    ported(
      "full-width digits",
      `:${`${port}`.replace(/[0-9]/g, (digit) => String.fromCharCode(0xff10 + Number(digit)))}`,
      "PORT_INVALID",
    ),
    ported("empty", ":", "PORT_INVALID"),
    ported("absent", "", "AUTHORITY_FORM", port === 80 ? null : "PORT_NOT_GRANTED"),
    ported("twice", `:${port}:${port}`, "AUTHORITY_FORM"),
  ];
};
