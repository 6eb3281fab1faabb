import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:https";
import { createInspections, createSecret, DEFAULT_SECRET_HEADERS } from "../../secret/index.js";
import type { BrokerOptions } from "../../service/index.js";
import { systemTimers } from "../../system-timers.js";
import { createTerminator, type ServerIdentity } from "../../terminate/index.js";
import { caFor } from "../../terminate/testing/lab.js";
import { VAULT } from "./places.js";

/** What only the broker knows, and what the laboratory's vault tells everybody who asks for it. */
export const VAULT_VALUE = "sk-live-4f1eZq9-Vb3";

const secretFor = (name: string, host: string, value: string) =>
  createSecret({
    name,
    authority: { host, port: VAULT.port },
    headers: DEFAULT_SECRET_HEADERS,
    value,
    random: randomBytes,
  });

/** Which the guest sees in the place of a secret for the vault, and of one for somebody else. */
const HERE = secretFor("VAULT", VAULT.host, VAULT_VALUE);
const OTHER = "other.example.com";
const ELSEWHERE = secretFor("OTHER", OTHER, "another-value-entirely");
export const PLACEHOLDERS = { here: HERE.placeholder, elsewhere: ELSEWHERE.placeholder } as const;

export interface Vault {
  /** Whether it shows a certificate that proves its name, or one for another. */
  prove(itself: boolean): void;
  /** The run's CA, which the guest trusts. */
  readonly caPem: string;
  readonly broker: Pick<BrokerOptions, "terminate" | "terminates">;
}

/**
 * A TLS server on every address, for whose authority TLS is terminated and a secret is kept. Each
 * request is told to `onRequest`; `/leak` is answered with the secret.
 */
export const startVault = async (
  test: { after(fn: () => unknown): void },
  onRequest: (head: string) => void,
): Promise<Vault> => {
  const [upstreamCa, runCa] = await Promise.all([caFor(VAULT.host), caFor(VAULT.host)]);
  const [own, another] = await Promise.all([
    upstreamCa.identityFor(VAULT.host),
    caFor(OTHER).then((ca) => ca.identityFor(OTHER)),
  ]);
  const context = ({ certificatePem, keyPem }: ServerIdentity) => ({
    cert: certificatePem,
    key: keyPem,
  });
  const server = createServer(context(own), (request, response) => {
    onRequest(`${request.method} ${request.url} ${JSON.stringify(request.rawHeaders)}`);
    response.end(request.url === "/leak" ? `it is ${VAULT_VALUE}` : "here");
  });
  server.on("clientError", (_error, socket) => socket.destroy());
  server.listen(VAULT.port, "::");
  await once(server, "listening");
  test.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const terminate = createTerminator({
    ca: runCa,
    inspections: createInspections([HERE, ELSEWHERE], []),
    upstreamRoots: [upstreamCa.caCertificatePem],
    limits: { maxHeaderBytes: 16_384, headerTimeoutMs: 10_000, handshakeTimeoutMs: 10_000 },
    timers: systemTimers,
  });
  return {
    prove: (itself) => server.setSecureContext(context(itself ? own : another)),
    caPem: runCa.caCertificatePem,
    broker: { terminate, terminates: (grant) => grant.terminate },
  };
};
