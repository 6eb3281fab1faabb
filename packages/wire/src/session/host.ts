import { quote } from "@drydock/evidence";
import type { HostMessage } from "../control/host-messages.js";
import { violated } from "../violation.js";

/** One of the host's frames that the guest still has to answer. */
export type Request =
  | { readonly kind: "hello"; readonly key: string }
  | { readonly kind: "channel"; readonly key: string }
  | { readonly kind: "exec"; readonly key: string; readonly started: boolean }
  | { readonly kind: "plant"; readonly key: string }
  | { readonly kind: "put"; readonly key: string }
  | { readonly kind: "collect"; readonly key: string }
  | { readonly kind: "ping"; readonly key: string }
  /** Answered only when it fails. */
  | { readonly kind: "silent"; readonly key: "" };

/** What the host has asked, by sequence number: bounded by what the host itself sends. */
export interface HostSession {
  readonly phase: "new" | "greeted" | "ready";
  readonly requests: ReadonlyMap<number, Request>;
}

/** Frames without an answer that an error may still refer to; older ones are forgotten. */
const MAX_SILENT = 64;

export const NEW_HOST_SESSION: HostSession = { phase: "new", requests: new Map() };

/** The host sends `message` as frame `seq`. @throws WireError for what the host may not do */
export const hostSent = (session: HostSession, message: HostMessage, seq: number): HostSession => {
  if ((message.type === "hello") !== (session.phase === "new")) {
    throw violated("unexpected-message", `own ${message.type} while ${session.phase}`);
  }
  const request = requestOf(message);
  if (request.kind !== "silent" && findRequest(session, request.kind, request.key) !== undefined) {
    throw violated("unexpected-message", `own ${request.kind} ${quote(request.key)} twice`);
  }
  const requests = new Map(session.requests).set(seq, request);
  const silent = [...requests].filter(([, { kind }]) => kind === "silent");
  for (const [old] of silent.slice(0, -MAX_SILENT)) requests.delete(old);
  return { phase: session.phase === "new" ? "greeted" : session.phase, requests };
};

const requestOf = (message: HostMessage): Request => {
  switch (message.type) {
    case "hello":
      return { kind: "hello", key: message.nonce };
    case "channel":
      return { kind: "channel", key: message.name };
    case "exec":
      return { kind: "exec", key: message.exec, started: false };
    case "plant":
      return { kind: "plant", key: message.path };
    case "put":
      return { kind: "put", key: String(message.stream) };
    case "collect":
      return { kind: "collect", key: String(message.stream) };
    case "ping":
      return { kind: "ping", key: message.nonce };
    case "signal":
    case "resize":
    case "shutdown":
      return { kind: "silent", key: "" };
  }
};

/** The open request of this kind about `key`, with its sequence number. */
export const findRequest = (
  session: HostSession,
  kind: Request["kind"],
  key: string,
): readonly [number, Request] | undefined =>
  [...session.requests].find(([, request]) => request.kind === kind && request.key === key);
