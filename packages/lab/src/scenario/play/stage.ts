import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pfsenseAliasDescription, type WriteClient } from "@drydock/acceptance";
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

/** What one scenario is played with: made for it, and for nothing else. */
export interface Stage {
  readonly handed: HandedStore;
  readonly operator: Operator;
  readonly intent: JsonObject;
  readonly session: SessionOptions;
  readonly endpoint: Endpoint;
  /** For copies of the store. */
  readonly aside: string;
  readonly clock: { readonly now: () => number; aheadMs: number };
  /** Requests that change something go where nobody listens, from now on. */
  unplug(): void;
}

/** Nobody listens there, in a namespace where the lab is alone: discard, RFC 863. */
const NOWHERE = 9;

export const setStage = (
  world: World,
  { name, steps }: Pick<Scenario, "name" | "steps">,
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
  const isHeld = steps.some((step) => "meanwhile" in step);
  const { deadlines } = world.endpoint;
  const answerMs = deadlines.answerMs + (isHeld ? HOLD_MS : 0);
  const endpoint = { ...world.endpoint, deadlines: { ...deadlines, answerMs } };
  const client = { endpoint, credential, clock: () => performance.now() };
  let writing: WriteClient = createWriteClient(client);
  const clock = { now: () => world.clock() + clock.aheadMs, aheadMs: 0 };
  const operator = operatorFrom(entropy(KEY_BYTES), entropy(KEY_BYTES));
  return {
    handed,
    operator,
    endpoint,
    clock,
    aside: place("aside"),
    intent: {
      operation: pfsenseAliasDescription.semanticUnit,
      raw_target_hint: { alias_name: candidate },
      new_description: ASKED_DESCRIPTION,
    },
    session: {
      ...handed,
      artifactKey: entropy(KEY_BYTES),
      read: createReadClient(client),
      write: { send: (request) => writing.send(request) },
      clock: clock.now,
      entropy,
      verifier: operator.verifier,
    },
    unplug: () => {
      writing = createWriteClient({ ...client, endpoint: { ...endpoint, port: NOWHERE } });
    },
  };
};
