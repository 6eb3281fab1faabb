import type { Socket } from "node:net";
import type { TestContext } from "node:test";
import {
  type BrokerLab,
  type BrokerLabOptions,
  grantFor,
  startBrokerLab,
} from "../../testing/broker-lab.js";

export const HERE = "93.184.216.34";
export const OTHER = "93.184.216.35";
export const CLOSED_PORT = "93.184.216.36";
export const SIX = "2606:2800:220:1:248:1893:25c8:1946";
export const SILENT = "93.184.216.99";

/** For `enterPrivateNetwork`. */
export const NETWORK = { addresses: [HERE, OTHER, SIX, CLOSED_PORT], silent: [SILENT] };

export const API = "api.example.com";

const NAMES = {
  [API]: [HERE],
  "other.example.com": [OTHER],
  "six.example.com": [SIX],
  "both.example.com": [CLOSED_PORT, SIX],
  "private.example.com": [HERE, "10.0.0.1"],
  "gone.example.com": [CLOSED_PORT],
  "silent.example.com": [SILENT],
  "empty.example.com": [],
} as const;

/** All but `other.example.com`, and one that doesn't exist. */
const GRANTS = Object.keys(NAMES)
  .filter((host) => host !== "other.example.com")
  .flatMap((host) => [
    grantFor(host, 443),
    grantFor(host, 9000, { protocol: "tcp-opaque" }),
    grantFor(host, 80, { protocol: "http" }),
  ])
  .concat(grantFor("unknown.example.com", 443));

export const lab = (t: TestContext, options: Partial<BrokerLabOptions> = {}): Promise<BrokerLab> =>
  startBrokerLab(t, { grants: GRANTS, names: NAMES, ...options });

export const echo = (socket: Socket): void => {
  socket.pipe(socket);
};

/** Everything up to the end; the socket stays, so that its other direction may go on. */
export const allOf = async (socket: Socket): Promise<string> => {
  let text = "";
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) text += chunk;
  return text;
};
