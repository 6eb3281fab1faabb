import { quote } from "@drydock/evidence";
import type { GuestMessage } from "../control/guest-messages.js";
import type { HostMessage } from "../control/host-messages.js";
import { violated } from "../violation.js";

/** One of the host's frames that the guest still has to answer. */
export type Request =
  | { readonly kind: "hello"; readonly key: string }
  | { readonly kind: "channel"; readonly key: string }
  | { readonly kind: "exec"; readonly key: string; readonly started: boolean }
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
  if (request.kind !== "silent" && find(session, request.kind, request.key) !== undefined) {
    throw violated("unexpected-message", `own ${request.kind} ${quote(request.key)} twice`);
  }
  const requests = new Map(session.requests).set(seq, request);
  const silent = [...requests].filter(([, { kind }]) => kind === "silent");
  for (const [old] of silent.slice(0, -MAX_SILENT)) requests.delete(old);
  return { phase: session.phase === "new" ? "greeted" : session.phase, requests };
};

/**
 * A guard: the guest may only answer what it was asked, once. Anything else is a guest that makes
 * things up, and closes the channel. @throws WireError unexpected-message
 */
export const guestSaid = (session: HostSession, message: GuestMessage): HostSession => {
  if (session.phase !== "ready" && message.type !== "ready" && message.type !== "error") {
    throw violated("unexpected-message", `${message.type} before ready`);
  }
  switch (message.type) {
    case "ready":
      return { ...answered(session, "hello", message.nonce), phase: "ready" };
    case "channelOpen":
      return answered(session, "channel", message.name);
    case "execStarted":
      return started(session, message.exec);
    case "execExit": {
      const found = find(session, "exec", message.exec);
      if (found?.[1].kind === "exec" && !found[1].started) {
        throw violated("unexpected-message", `exit of ${quote(message.exec)} before its start`);
      }
      return answered(session, "exec", message.exec);
    }
    case "putDone":
      return answered(session, "put", String(message.stream));
    case "collectDone":
      return answered(session, "collect", String(message.stream));
    case "pong":
      return answered(session, "ping", message.nonce);
    case "error":
      return message.ref === null ? session : failed(session, message.ref);
  }
};

const requestOf = (message: HostMessage): Request => {
  switch (message.type) {
    case "hello":
      return { kind: "hello", key: message.nonce };
    case "channel":
      return { kind: "channel", key: message.name };
    case "exec":
      return { kind: "exec", key: message.exec, started: false };
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

const find = (
  session: HostSession,
  kind: Request["kind"],
  key: string,
): readonly [number, Request] | undefined =>
  [...session.requests].find(([, request]) => request.kind === kind && request.key === key);

const answered = (session: HostSession, kind: Request["kind"], key: string): HostSession => {
  const found = find(session, kind, key);
  if (found === undefined) throw violated("unexpected-message", `no ${kind} ${quote(key)} is open`);
  return without(session, found[0]);
};

const started = (session: HostSession, exec: string): HostSession => {
  const found = find(session, "exec", exec);
  if (found?.[1].kind !== "exec" || found[1].started) {
    throw violated("unexpected-message", `no start of ${quote(exec)} is due`);
  }
  const requests = new Map(session.requests).set(found[0], { ...found[1], started: true });
  return { ...session, requests };
};

/** An error ends the request that it refers to. */
const failed = (session: HostSession, ref: number): HostSession => {
  if (!session.requests.has(ref)) {
    throw violated("unexpected-message", `error for frame ${ref}, which waits for nothing`);
  }
  return without(session, ref);
};

const without = (session: HostSession, seq: number): HostSession => {
  const requests = new Map(session.requests);
  requests.delete(seq);
  return { ...session, requests };
};
