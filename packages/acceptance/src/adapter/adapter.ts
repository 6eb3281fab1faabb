import type { JsonObject } from "@drydock/evidence";
import type { ApplianceRequest, EndpointSymbol, HttpMethod, ReadClient } from "../client/index.js";

/** What a grant, a contract and its evidence call the one thing that an adapter may do. */
export type Capability = "FIREWALL_ALIAS_DESCRIPTION_WRITE" | "SYNTHETIC_NOTICE_WRITE";

/**
 * How one capability changes one target: what is asked for, where the target is, what it was, what
 * to send, and what to see afterwards. An adapter decides nothing about sending: it holds no state
 * between calls, imports no transport, executor or store, and its only I/O is `readTarget`.
 *
 * What an adapter refuses it throws as an `AdapterError`, which carries a code and no value.
 *
 * @typeParam Intent what is asked for: JSON, since it is sealed with the contract.
 * @typeParam Target one target as it was read: JSON, since it is the snapshot.
 */
export interface CapabilityAdapter<Intent extends JsonObject, Target extends JsonObject> {
  /** Versioned name of exactly this behaviour, such as `set_firewall_alias_description_v1`. */
  readonly semanticUnit: string;
  readonly capability: Capability;
  readonly endpointSymbol: EndpointSymbol;
  readonly httpMethod: HttpMethod;
  /** Of how this adapter takes its change back: an identifier that changes with it. */
  readonly rollbackPlanVersion: string;

  /** Closed: an unknown key is refused. Text comes out in NFC. */
  parseIntent(value: unknown): Intent;
  /** A snapshot, as it comes back from where it was kept. Closed. */
  parseTarget(value: unknown): Target;

  /** What says which target is meant, whatever number the appliance has for it today. */
  naturalIdentity(intent: Intent): JsonObject;
  /** The same of a target that was read. */
  identityOf(target: Target): JsonObject;
  /**
   * Reads the one target with this identity, now.
   *
   * @throws AdapterError for none, for more than one, and for one that isn't understood whole.
   * @throws TransportError as the client does.
   */
  readTarget(client: ReadClient, identity: JsonObject): Promise<Target>;

  /** Everything whose change makes a target another than the one that was looked at. */
  fingerprint(target: Target): JsonObject;
  /** The appliance's own number for the target, 0 to 2^31 − 1; 0 where it has none. */
  transportLocator(target: Target): number;

  /** @throws AdapterError when there is nothing to change. */
  buildRequest(intent: Intent, target: Target): ApplianceRequest;
  /** What the appliance says the target is after a 2xx. Closed. It is heard, not believed. */
  parseResponse(body: unknown): Target;
  /** Whether `post` is `pre` with the intent done and nothing else changed. */
  isSemanticallyVerified(pre: Target, post: Target, intent: Intent): boolean;

  buildRollbackRequest(snapshot: Target, target: Target): ApplianceRequest;
  /** Whether `post` is the snapshot, whole. */
  isRollbackVerified(snapshot: Target, post: Target): boolean;
}
