import type { Event } from "@drydock/evidence";
import type { Authority } from "../authority/authority.js";
import { formatAuthority } from "../authority/authority.js";
import type { Reason } from "../decision/index.js";
import type { EgressProtocol, RequestForm } from "../policy/index.js";
import type { AnswerSource } from "../resolve/index.js";
import type { TerminateEvent } from "../terminate/index.js";

/** One request was granted or refused. What wasn't reached has no value: null or 0. */
export interface DecisionReceipt {
  readonly kind: "decision";
  /** Number of the client's connection, from 1. */
  readonly connection: number;
  /** Null when no request head was read. */
  readonly form: RequestForm | null;
  /** Null when the request names none that is canonical. */
  readonly authority: Authority | null;
  readonly protocol: EgressProtocol | null;
  readonly reason: Reason | "GRANTED";
  /** In the policy file, from 1. */
  readonly line: number | null;
  readonly addresses: number;
  /** `global`, or the registry's name of the first address that isn't. */
  readonly addressClass: string | null;
  /** The one that was dialled, of a grant only. */
  readonly address: string | null;
  /** Null when nothing was looked up. */
  readonly answer: AnswerSource | null;
  /** Since it was asked for; 0 unless it was kept. */
  readonly answerAgeMs: number;
  readonly queries: number;
  readonly lookupMs: number;
  readonly connectMs: number;
}

/** A granted tunnel, or one exchange of the protocol `http`, is over. */
export interface ClosedReceipt {
  readonly kind: "closed";
  readonly connection: number;
  readonly authority: Authority;
  readonly protocol: EgressProtocol;
  readonly reason: Reason;
  /** `unread`: no whole ClientHello came. */
  readonly serverName: "equal" | "refused" | "unread" | "not-asked";
  readonly up: number;
  readonly down: number;
  readonly durationMs: number;
  /** Name of the secret, or id of the canary, that ended it. */
  readonly finding: string | null;
}

/** One request inside a terminated tunnel. */
export interface RequestReceipt {
  readonly kind: "request";
  readonly connection: number;
  readonly authority: Authority;
  readonly reason: Reason | "GRANTED";
  readonly rule: number | null;
  /** Names of secrets, never values. */
  readonly secrets: readonly string[];
  /** Name of the secret, or id of the canary, that it was refused for. */
  readonly finding: string | null;
}

/** Connections that were refused unread since the last such receipt. */
export interface ShedReceipt {
  readonly kind: "shed";
  readonly count: number;
  readonly live: number;
}

export type EgressReceipt = DecisionReceipt | ClosedReceipt | RequestReceipt | ShedReceipt;

export const requestReceipt = (
  event: TerminateEvent,
  connection: number,
  authority: Authority,
): RequestReceipt => {
  const known = { kind: "request", connection, authority } as const;
  switch (event.kind) {
    case "admitted":
      return {
        ...known,
        reason: "GRANTED",
        rule: event.rule,
        secrets: event.secrets,
        finding: null,
      };
    case "refused":
      return { ...known, reason: event.reason, rule: null, secrets: [], finding: event.finding };
  }
};

/** Which limit of the policy a reason speaks of. */
const LIMITS: Partial<Record<Reason, string>> = {
  HELLO_TIMEOUT: "helloTimeoutMs",
  IDLE: "idleTimeoutMs",
  LIFETIME: "lifetimeMs",
  BYTES_UP: "maxBytesUp",
  BYTES_DOWN: "maxBytesDown",
};

/** A receipt as the evidence format has it. */
export const receiptEvent = (receipt: EgressReceipt): Event => {
  switch (receipt.kind) {
    case "decision":
      return {
        type: "egress.decision",
        decision: receipt.reason === "GRANTED" ? "granted" : "refused",
        measurements: {
          connection: receipt.connection,
          form: receipt.form ?? "none",
          authority: receipt.authority === null ? "" : formatAuthority(receipt.authority),
          protocol: receipt.protocol ?? "none",
          reason: receipt.reason,
          line: receipt.line ?? 0,
          addresses: receipt.addresses,
          addressClass: receipt.addressClass ?? "",
          address: receipt.address ?? "",
          answer: receipt.answer ?? "none",
          answerAgeMs: receipt.answerAgeMs,
          queries: receipt.queries,
          lookupMs: Math.round(receipt.lookupMs),
          connectMs: Math.round(receipt.connectMs),
        },
      };
    case "closed": {
      const limit = LIMITS[receipt.reason];
      return {
        type: "egress.closed",
        decision: receipt.reason === "CLOSED" ? "closed" : "cut",
        measurements: {
          connection: receipt.connection,
          authority: formatAuthority(receipt.authority),
          protocol: receipt.protocol,
          reason: receipt.reason,
          serverName: receipt.serverName,
          up: receipt.up,
          down: receipt.down,
          durationMs: Math.round(receipt.durationMs),
          limits: limit === undefined ? [] : [limit],
          finding: receipt.finding,
        },
      };
    }
    case "request":
      return {
        type: "egress.request",
        decision: receipt.reason === "GRANTED" ? "admitted" : "refused",
        measurements: {
          connection: receipt.connection,
          authority: formatAuthority(receipt.authority),
          reason: receipt.reason,
          rule: receipt.rule,
          secrets: [...receipt.secrets],
          finding: receipt.finding,
        },
      };
    case "shed":
      return {
        type: "egress.shed",
        decision: "refused",
        measurements: { count: receipt.count, live: receipt.live },
      };
  }
};
