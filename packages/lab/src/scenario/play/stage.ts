import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pfsenseAliasDescription } from "@drydock/acceptance";
import type { JsonObject } from "@drydock/evidence";
import { createReadClient, createWriteClient, type Endpoint } from "../../transport/index.js";
import type { Scenario } from "../model.js";
import type { SessionOptions } from "../session.js";
import type { HandedStore, World } from "../world.js";
import { type Operator, operatorFrom } from "./operator.js";

/** Whatever the candidate says, it says something else; it is no operator's text. */
export const ASKED_DESCRIPTION = "changed by a rehearsal";

const STORE_ID = "rehearsal";
const KEY_BYTES = 32;

/** How long a request is held back for somebody who edits meanwhile. */
export const HOLD_MS = 1_000;

/** Nobody waits so long unless a machine has much else to do: then it is no time-out that is shown. */
const PATIENT_MS = 20_000;

/** What one scenario is played with: made for it, and for nothing else. */
export interface Stage {
  readonly handed: HandedStore;
  readonly operator: Operator;
  readonly intent: JsonObject;
  readonly session: SessionOptions;
  /** Where requests go now, and how long their answers are waited for. */
  readonly endpoint: () => Endpoint;
  /** For copies of the store. */
  readonly aside: string;
  readonly clock: { readonly now: () => number; aheadMs: number };
  /** From now on answers are waited for as the lab says, since one won't come. */
  hurry(): void;
  /** From now on requests that change something go where nobody listens. */
  unplug(): void;
}

/** Nobody listens there, in a namespace where the lab is alone: discard, RFC 863. */
const NOWHERE = 9;

export const setStage = (
  world: World,
  { name }: Pick<Scenario, "name">,
  directory: string,
): Stage => {
  const { credential, candidate, entropy } = world;
  const place = (below: string): string => {
    const path = join(directory, below);
    mkdirSync(path, { mode: 0o700 });
    return path;
  };
  const handed = {
    scenario: name,
    directory: place("store"),
    anchorDirectory: place("anchor"),
    storeId: STORE_ID,
    key: entropy(KEY_BYTES),
  };
  const { deadlines } = world.endpoint;
  let endpoint: Endpoint = {
    ...world.endpoint,
    deadlines: { ...deadlines, answerMs: Math.max(deadlines.answerMs, PATIENT_MS) },
  };
  let port = endpoint.port;
  const client = { credential, clock: () => performance.now() };
  const clock = { now: () => world.clock() + clock.aheadMs, aheadMs: 0 };
  const operator = operatorFrom(entropy(KEY_BYTES), entropy(KEY_BYTES));
  return {
    handed,
    operator,
    clock,
    endpoint: () => endpoint,
    aside: place("aside"),
    intent: {
      operation: pfsenseAliasDescription.semanticUnit,
      raw_target_hint: { alias_name: candidate },
      new_description: ASKED_DESCRIPTION,
    },
    session: {
      ...handed,
      artifactKey: entropy(KEY_BYTES),
      read: {
        get: (path, query) => createReadClient({ ...client, endpoint }).get(path, query),
      },
      write: {
        send: (request) =>
          createWriteClient({ ...client, endpoint: { ...endpoint, port } }).send(request),
      },
      clock: clock.now,
      entropy,
      verifier: operator.verifier,
    },
    hurry: () => {
      endpoint = world.endpoint;
    },
    unplug: () => {
      port = NOWHERE;
    },
  };
};
