import { type Guard, simply } from "./guard.js";

/** What passes where TLS ends in the broker. */
export const TERMINATE_GUARDS: readonly Guard[] = [
  {
    module: "terminate/host-equality",
    what: "takes any Host",
    source: simply("export const isRequestFor = () => true;"),
    cells: "CONNECT: request",
  },
  {
    module: "terminate/response-scan",
    what: "sees nothing",
    source: simply(`export const createResponseScan = () => ({
      push: (bytes) => ({ kind: "clear", bytes }),
      end: () => new Uint8Array(),
    });`),
    cells: "CONNECT: request",
  },
  {
    module: "terminate/verification",
    what: "believes every certificate",
    source: simply(
      "export const upstreamVerification = () => ({ rejectUnauthorized: false, checkServerIdentity: () => undefined });",
    ),
    cells: "CONNECT: request",
  },
  {
    module: "secret/place",
    what: "puts secrets wherever their placeholder is",
    source: simply(`export const placeSecrets = (target, fields, here, elsewhere) => ({
      kind: "placed",
      fields: fields.map(([name, value]) => [name, [...here, ...elsewhere].reduce(
        (text, secret) => text.replaceAll(secret.placeholder, secret.reveal()), value)]),
      used: here.map(({ name }) => name),
    });`),
    cells: "CONNECT: request",
  },
  {
    module: "terminate/path-form",
    what: "takes every path for unambiguous",
    source: simply("export const isPathAmbiguous = () => false;"),
    cells: "absolute-form: head",
  },
  {
    module: "terminate/rule-match",
    what: "matches the start of any path",
    source: simply("export const matchingRule = () => 0;"),
    cells: "absolute-form: head",
  },
];
