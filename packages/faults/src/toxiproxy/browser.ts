export interface Sender {
  readonly userAgent: string;
  readonly origin: string | null;
}

/**
 * Guard: a page in somebody's browser must not open ports here, which Toxiproxy had to learn in
 * 2.1.2 and tells by the user agent. An origin is what only browsers send.
 */
export const isBrowser = ({ userAgent, origin }: Sender): boolean =>
  userAgent.startsWith("Mozilla/") || origin !== null;
