import { quote } from "@drydock/evidence";
import type { GuestMessage } from "../control/guest-messages.js";
import { violated } from "../violation.js";
import { findRequest, type HostSession, type Request } from "./host.js";

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
      const found = findRequest(session, "exec", message.exec);
      if (found?.[1].kind === "exec" && !found[1].started) {
        throw violated("unexpected-message", `exit of ${quote(message.exec)} before its start`);
      }
      return answered(session, "exec", message.exec);
    }
    case "planted":
      return answered(session, "plant", message.path);
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

const answered = (session: HostSession, kind: Request["kind"], key: string): HostSession => {
  const found = findRequest(session, kind, key);
  if (found === undefined) throw violated("unexpected-message", `no ${kind} ${quote(key)} is open`);
  return without(session, found[0]);
};

const started = (session: HostSession, exec: string): HostSession => {
  const found = findRequest(session, "exec", exec);
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
