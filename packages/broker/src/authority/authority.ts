/**
 * A canonical authority: what filter, dialler and log all use. Made by `parseAuthority` only.
 * `host` is an exact DNS name of at least two LDH labels, lower case, without the final dot
 * (RFC 1034 §3.5, RFC 5891 A-labels); `port` is 1 to 65535.
 */
export interface Authority {
  readonly host: string;
  readonly port: number;
}

export const formatAuthority = ({ host, port }: Authority): string => `${host}:${port}`;
