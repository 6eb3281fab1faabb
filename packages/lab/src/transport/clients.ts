import {
  type AmbiguousReason,
  type ApplianceRequest,
  type ReadAnswer,
  type ReadClient,
  type SendOutcome,
  TransportError,
  type TransportErrorCode,
  type WriteClient,
} from "@drydock/acceptance";
import { JsonError, type JsonValue, parseJson } from "@drydock/evidence";
import type { LabCredential } from "../configuration/index.js";
import { type BreakReason, type Endpoint, type Exchange, exchange } from "./exchange.js";
import { isReadable } from "./readable.js";
import { writablePath } from "./writable.js";

/** What may be kept of one request: no value, no body, no query, no credential. */
export interface ExchangeNote {
  readonly method: string;
  readonly path: string;
  readonly status: number | null;
  readonly outcome: "answered" | "unsent" | "broken";
  readonly reason: string | null;
  readonly durationMs: number;
}

export interface ClientOptions {
  readonly endpoint: Endpoint;
  readonly credential: LabCredential;
  /** Milliseconds, of any origin: for durations. */
  readonly clock: () => number;
  readonly onExchange?: (note: ExchangeNote) => void;
}

const ANSWER_LIMITS = { maxBytes: 8 * 1024 * 1024, maxNodes: 500_000 };

/** Reads from one lab's appliance: GET, and nothing else. */
export const createReadClient = (options: ClientOptions): ReadClient => ({
  async get(path, query = {}) {
    if (!isReadable(path)) throw new TransportError("TRANSPORT_NOT_ALLOW_LISTED");
    const parameters = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, `${value}`]),
    ).toString();
    const target = parameters === "" ? path : `${path}?${parameters}`;
    return answerOf(await noted(options, { method: "GET", path, target, body: null }));
  },
});

/** Writes to one lab's appliance, what an adapter may write and nothing else. */
export const createWriteClient = (options: ClientOptions): WriteClient => ({
  async send({ method, endpoint, body }: ApplianceRequest) {
    const path = writablePath(endpoint, method);
    if (path === null) return { kind: "not-sent", reason: "NOT_ALLOW_LISTED" };
    const bytes = Buffer.from(JSON.stringify(body));
    return outcomeOf(await noted(options, { method, path, target: path, body: bytes }));
  },
});

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly target: string;
  readonly body: Buffer | null;
}

const noted = async (
  { endpoint, credential, clock, onExchange }: ClientOptions,
  { method, path, target, body }: Asked,
): Promise<Exchange> => {
  const began = clock();
  const result = await exchange(endpoint, {
    method,
    target,
    headers: {
      accept: "application/json",
      "x-api-key": credential.reveal(),
      ...(body === null ? {} : { "content-type": "application/json" }),
    },
    body,
  });
  onExchange?.({
    method,
    path,
    status: result.kind === "answered" ? result.status : null,
    outcome: result.kind,
    reason: result.kind === "answered" ? null : result.reason,
    durationMs: clock() - began,
  });
  return result;
};

const READ_CODES: Readonly<Record<BreakReason, TransportErrorCode>> = {
  RESET: "TRANSPORT_RESET",
  TIMEOUT: "TRANSPORT_TIMEOUT",
  TRUNCATED: "TRANSPORT_TRUNCATED",
  PROTOCOL: "TRANSPORT_PROTOCOL",
  TLS: "TRANSPORT_TLS",
  TOO_LARGE: "TRANSPORT_TOO_LARGE",
};

const answerOf = (result: Exchange): ReadAnswer => {
  switch (result.kind) {
    case "unsent":
      throw new TransportError(result.reason === "TLS" ? "TRANSPORT_TLS" : "TRANSPORT_CONNECT");
    case "broken":
      throw new TransportError(READ_CODES[result.reason]);
    case "answered": {
      const body = jsonOf(result.body);
      if (body === undefined) throw new TransportError("TRANSPORT_PROTOCOL");
      return { status: result.status, body };
    }
  }
};

const WRITE_REASONS: Readonly<Record<BreakReason, AmbiguousReason>> = {
  RESET: "RESET",
  TIMEOUT: "TIMEOUT",
  TRUNCATED: "TRUNCATED",
  PROTOCOL: "PROTOCOL",
  TLS: "TLS",
  TOO_LARGE: "PROTOCOL",
};

const outcomeOf = (result: Exchange): SendOutcome => {
  switch (result.kind) {
    case "unsent":
      return { kind: "not-sent", reason: "CONNECT_FAILED" };
    case "broken":
      return { kind: "ambiguous", reason: WRITE_REASONS[result.reason] };
    case "answered": {
      const body = jsonOf(result.body);
      // Something answered, and it wasn't the API: what the API did is unknown.
      if (body === undefined) return { kind: "ambiguous", reason: "PROTOCOL" };
      return { kind: "answered", status: result.status, body };
    }
  }
};

/** Null for nothing, undefined for what isn't JSON of one meaning. */
const jsonOf = (bytes: Buffer): JsonValue | undefined => {
  if (bytes.length === 0) return null;
  try {
    return parseJson(bytes, ANSWER_LIMITS);
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
};
