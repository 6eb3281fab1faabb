import { isIP, SocketAddress } from "node:net";
import { DrydockError } from "@drydock/evidence";
import type { ResolverAddress } from "../policy/model.js";
import type { Timers } from "../timers.js";
import type { Answer } from "./answer/answer.js";
import { readAnswer } from "./answer/read-answer.js";
import type { ResolverLimits } from "./limits.js";
import type { LookupEvent } from "./lookup/event.js";
import type { LookupEffect } from "./lookup/state.js";
import { beginLookup, type LookupStep, stepLookup } from "./lookup/step.js";
import { drawQuestion, encodeQuery } from "./message/question.js";
import { encodeName, type WireName } from "./message/wire-name.js";
import type { Resolution, Resolver } from "./resolution.js";
import type { CloseQuery, QueryEvents, Server } from "./sockets/socket.js";
import { askOverTcp } from "./sockets/tcp.js";
import { askOverUdp } from "./sockets/udp.js";

export interface ResolverOptions {
  /** Recursive resolvers, asked in this order; at least one. */
  readonly servers: readonly ResolverAddress[];
  readonly limits: ResolverLimits;
  /** So many unpredictable bytes. */
  readonly random: (bytes: number) => Uint8Array;
  readonly timers: Timers;
}

/**
 * A resolver that asks the given servers and nothing else: no hosts file, no search list, no other
 * server. It keeps nothing between look-ups; that is for `keepAnswers`.
 *
 * At most two sockets are open for each look-up at any time. Throws EGRESS_RESOLVERS.
 */
export const createResolver = (options: ResolverOptions): Resolver => {
  const servers = options.servers.map(parseServer);
  if (servers.length === 0) {
    throw new DrydockError("EGRESS_RESOLVERS", "No resolver is given.", {
      fix: "Name at least one resolver by its IP address and port.",
    });
  }
  return {
    resolve: async (host, signal) => {
      signal.throwIfAborted();
      const name = encodeName(host);
      if (name === null) return { kind: "refused", reason: "NAME_INVALID", ...UNASKED };
      return lookUp(name, servers, options, signal);
    },
  };
};

const UNASKED = { source: "asked", ageMs: 0, queries: 0, ms: 0 } as const;

const parseServer = ({ address, port }: ResolverAddress): Server => {
  const family = isIP(address);
  // isIP lets a zone pass (RFC 4007), which would choose an interface.
  if ((family !== 4 && family !== 6) || address.includes("%")) {
    throw new DrydockError("EGRESS_RESOLVERS", "A resolver's address isn't an IP address.", {
      fix: "Give the resolver's IP address, without a zone.",
    });
  }
  // The kernel's spelling: senders of datagrams are compared with it.
  const spelt = new SocketAddress({ address, port, family: family === 4 ? "ipv4" : "ipv6" });
  return { address: spelt.address, port, family };
};

/** Carries out what the rules say, and tells them what comes back. */
const lookUp = (
  name: WireName,
  servers: readonly Server[],
  { limits, random, timers }: ResolverOptions,
  signal: AbortSignal,
): Promise<Resolution> =>
  new Promise((resolve, reject) => {
    const started = timers.now();
    const open = new Map<number, CloseQuery>();
    let state = beginLookup(servers.length, limits, started);

    const closeAll = (): void => {
      signal.removeEventListener("abort", abort);
      for (const close of open.values()) close();
      open.clear();
    };
    const abort = (): void => {
      closeAll();
      reject(signal.reason);
    };
    const tell = (event: LookupEvent): void => {
      run(stepLookup(state.state, event));
    };
    const run = (step: LookupStep): void => {
      state = step;
      for (const effect of step.effects) perform(effect);
    };
    const perform = (effect: LookupEffect): void => {
      switch (effect.type) {
        case "ask":
          open.set(effect.query, ask(effect));
          return;
        case "drop":
          open.get(effect.query)?.();
          open.delete(effect.query);
          return;
        case "end":
          closeAll();
          resolve({
            ...effect.outcome,
            ...UNASKED,
            queries: state.state.asked,
            ms: Math.round(timers.now() - started),
          });
          return;
      }
    };
    const ask = (effect: Extract<LookupEffect, { type: "ask" }>): CloseQuery => {
      const { query, over } = effect;
      const server = servers[effect.server];
      if (server === undefined) throw new RangeError("The rules named a server that isn't there.");
      const question = drawQuestion(name, effect.family, random);
      const answer = (value: Answer): void =>
        tell({ type: "answer", query, answer: value, at: timers.now() });
      const events: QueryEvents = {
        message: (bytes) => answer(readAnswer(question, bytes, over, limits)),
        tooLong: () => answer({ kind: "refused", reason: "DNS_TOO_MANY" }),
        broken: () => tell({ type: "broken", query, at: timers.now() }),
      };
      const bytes = encodeQuery(question);
      const close =
        over === "udp"
          ? askOverUdp(server, bytes, events)
          : askOverTcp(server, bytes, limits.maxMessageBytes, events);
      const cancel = timers.after(effect.waitMs, () =>
        tell({ type: "silent", query, at: timers.now() }),
      );
      return () => {
        cancel();
        close();
      };
    };

    signal.addEventListener("abort", abort, { once: true });
    run(state);
  });
