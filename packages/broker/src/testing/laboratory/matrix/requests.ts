import type { Reason } from "../../../decision/index.js";
import { VAULT } from "../places.js";
import { PLACEHOLDERS, VAULT_VALUE } from "../vault.js";

/** One request inside a tunnel whose TLS ends in the broker. Its control is the first of them. */
export interface RequestCell {
  readonly name: string;
  readonly octets: string;
  readonly reason: Reason | null;
  /** How many requests the server saw. */
  readonly requests: 0 | 1;
  /** The server has a certificate for another name, by a CA that nobody knows. */
  readonly impostor?: true;
}

const { here, elsewhere } = PLACEHOLDERS;
const AT = `${VAULT.host}:${VAULT.port}`;

const request = (line: string, ...fields: readonly string[]): string =>
  `${[`${line} HTTP/1.1`, ...fields].join("\r\n")}\r\n\r\n`;

const get = (path: string, ...fields: readonly string[]): string =>
  request(`GET ${path}`, `Host: ${AT}`, ...fields);

const refused = (name: string, octets: string, reason: Reason): RequestCell => ({
  name,
  octets,
  reason,
  requests: 0,
});

export const REQUEST_CELLS: readonly RequestCell[] = [
  {
    name: "the secret's placeholder in its field",
    octets: get("/here", `Authorization: Bearer ${here}`),
    reason: null,
    requests: 1,
  },
  refused("another Host", request("GET /here", "Host: other.example.com"), "HOST_DIFFERENT"),
  refused(
    "another port in Host",
    request("GET /here", `Host: ${VAULT.host}:443`),
    "HOST_DIFFERENT",
  ),
  refused("a path that no rule has", get("/private"), "RULE_NOT_GRANTED"),
  refused("a method that no rule has", request("DELETE /here", `Host: ${AT}`), "RULE_NOT_GRANTED"),
  refused("an escaped dot segment", get("/public/%2e%2e/private"), "PATH_AMBIGUOUS"),
  refused("two slashes", get("/public//private"), "PATH_AMBIGUOUS"),
  refused("an upgrade", get("/here", "Connection: Upgrade", "Upgrade: websocket"), "UPGRADE"),
  refused("a tunnel in the tunnel", request(`CONNECT ${AT}`, `Host: ${AT}`), "UPGRADE"),
  refused("the placeholder in another field", get("/here", `X-Copy: ${here}`), "SECRET_ELSEWHERE"),
  refused("the placeholder in the path", get(`/here?key=${here}`), "SECRET_ELSEWHERE"),
  refused(
    "another's placeholder",
    get("/here", `Authorization: Bearer ${elsewhere}`),
    "SECRET_ELSEWHERE",
  ),
  { ...refused("an impostor", get("/here"), "UPSTREAM_CERTIFICATE"), impostor: true },
  {
    name: "an answer with the secret",
    octets: get("/leak", `Authorization: Bearer ${here}`),
    reason: "RESPONSE_HAS_SECRET",
    requests: 1,
  },
];

/** What no client may ever be sent. */
export const KEPT = VAULT_VALUE;
