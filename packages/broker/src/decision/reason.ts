/** Where on its way a request was refused, or a tunnel ended. */
export type Stage = "request" | "authority" | "policy" | "lookup" | "dial" | "hello" | "tunnel";

const reason = <S extends Stage>(stage: S, doc: string) => ({ stage, doc });

/**
 * Why the broker refused a request or ended a tunnel. Codes are stable: receipts, the refusal that
 * a client sees and `drydock egress check` use them. Nothing of a refused request is dialled.
 */
export const REASONS = {
  CAPACITY: reason("request", "Too many connections at once, or too few descriptors left."),
  HEADER_TOO_LARGE: reason("request", "The request head is longer than the policy's limit."),
  HEADER_TIMEOUT: reason("request", "The request head didn't arrive in time."),
  REQUEST_SYNTAX: reason("request", "The request head isn't what RFC 9112 allows."),
  REQUEST_VERSION: reason("request", "Neither HTTP/1.1 nor HTTP/1.0."),
  METHOD: reason("request", "A method or request form that isn't brokered."),
  FRAMING: reason("request", "Ambiguous framing: Content-Length, Transfer-Encoding, or their mix."),
  HOST_DIFFERENT: reason("request", "Host and request target name different authorities."),

  AUTHORITY_FORM: reason("authority", "Not exactly host:port."),
  USERINFO: reason("authority", "An authority with user information."),
  URL: reason("authority", "A URL where an authority belongs."),
  PERCENT_ESCAPE: reason("authority", "A percent escape in an authority."),
  CONTROL_BYTE: reason("authority", "A control byte, NUL or space in an authority."),
  WILDCARD: reason("authority", "A wildcard in an authority."),
  IP_LITERAL: reason("authority", "An IP address, in whatever spelling, where a name belongs."),
  NAME_INVALID: reason("authority", "Not a DNS name of two or more valid labels."),
  NAME_IDNA: reason("authority", "A name that IDNA changes or refuses."),
  PORT_INVALID: reason("authority", "Not a port number in its one spelling, 1 to 65535."),

  AUTHORITY_NOT_GRANTED: reason("policy", "The policy doesn't grant this name."),
  PORT_NOT_GRANTED: reason("policy", "The policy grants this name, but not this port."),
  PROTOCOL_NOT_GRANTED: reason("policy", "The policy grants this authority for another protocol."),
  RULE_NOT_GRANTED: reason(
    "policy",
    "The policy's method and path rules don't admit this request.",
  ),
  HALTED: reason("policy", "The halt is on, or the channel was revoked."),
  READBACK_MISSING: reason("policy", "No readback receipt of the boundary can be read."),
  READBACK_UNSIGNED: reason("policy", "The readback receipt isn't one of the trusted key."),
  READBACK_DIFFERENT: reason("policy", "The readback receipt is for another policy."),
  READBACK_FAILED: reason("policy", "The boundary's rules weren't what they have to be."),
  READBACK_STALE: reason(
    "policy",
    "The readback receipt is too old, from the future, or from before this machine started.",
  ),
  DECISIONS: reason("policy", "More requests than a broker keeps receipts of: it has ended."),

  DNS_TIMEOUT: reason("lookup", "No complete answer in time."),
  DNS_EMPTY: reason("lookup", "The name exists and has no address."),
  DNS_NO_NAME: reason("lookup", "The name doesn't exist."),
  DNS_FAILED: reason(
    "lookup",
    "No resolver could be asked, or the last answered that it failed or refused.",
  ),
  DNS_MALFORMED: reason(
    "lookup",
    "An answer that RFC 1035 doesn't allow, or that isn't to the question.",
  ),
  DNS_TOO_MANY: reason("lookup", "More answers, aliases or bytes than the limits allow."),
  ADDRESS_NOT_GLOBAL: reason("lookup", "At least one answer isn't a globally reachable address."),

  CONNECT_REFUSED: reason("dial", "Every address refused the connection."),
  CONNECT_TIMEOUT: reason("dial", "No address accepted the connection in time."),
  CONNECT_FAILED: reason("dial", "No address could be reached."),

  HELLO_TIMEOUT: reason("hello", "No complete ClientHello in time."),
  HELLO_NOT_TLS: reason("hello", "The first bytes aren't a TLS handshake."),
  HELLO_MALFORMED: reason("hello", "A ClientHello that RFC 8446 doesn't allow."),
  HELLO_TOO_LARGE: reason("hello", "A ClientHello beyond the limit."),
  SNI_ABSENT: reason("hello", "A ClientHello without a server name."),
  SNI_DIFFERENT: reason("hello", "The server name isn't the granted authority."),
  SNI_DUPLICATE: reason("hello", "More than one server name, or more than one such extension."),
  ECH: reason("hello", "An encrypted ClientHello that the policy makes no exception for."),

  CLIENT_TLS: reason("tunnel", "The client failed the TLS handshake with the run's own CA."),
  UPSTREAM_TLS: reason("tunnel", "The upstream failed the TLS handshake."),
  UPGRADE: reason("tunnel", "A request to switch protocols, or a tunnel inside of a tunnel."),
  PATH_AMBIGUOUS: reason("tunnel", "A path that servers read in more than one way."),
  SECRET_ELSEWHERE: reason(
    "tunnel",
    "A secret's placeholder outside of its fields, or on its way to another authority.",
  ),
  CANARY: reason("tunnel", "A planted value was seen on its way."),
  RESPONSE_ENCODED: reason("tunnel", "A response that can't be searched for a secret."),
  UPSTREAM_CERTIFICATE: reason("tunnel", "The upstream's certificate doesn't prove the authority."),
  RESPONSE_SYNTAX: reason(
    "tunnel",
    "The upstream's response isn't what RFC 9112 allows, or it is ambiguously framed.",
  ),
  RESPONSE_TOO_LARGE: reason("tunnel", "The upstream's response head is longer than the limit."),
  RESPONSE_HAS_SECRET: reason("tunnel", "A response held the secret that its request was given."),
  CLOSED: reason("tunnel", "Both sides were done."),
  CLIENT_RESET: reason("tunnel", "The client reset the tunnel or went away."),
  UPSTREAM_RESET: reason("tunnel", "The upstream reset the tunnel."),
  IDLE: reason("tunnel", "No byte in either direction for the idle limit."),
  LIFETIME: reason("tunnel", "The tunnel's lifetime was over."),
  BYTES_UP: reason("tunnel", "More bytes to the upstream than the limit."),
  BYTES_DOWN: reason("tunnel", "More bytes from the upstream than the limit."),
  REVOKED: reason("tunnel", "The channel was revoked, or the broker ended."),
} as const satisfies Readonly<Record<string, { readonly stage: Stage; readonly doc: string }>>;

export type Reason = keyof typeof REASONS;
