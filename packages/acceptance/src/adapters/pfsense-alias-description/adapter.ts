import type { CapabilityAdapter } from "../../adapter/index.js";
import { type Alias, parseAlias } from "./alias.js";
import { isRollbackVerified, isSemanticallyVerified } from "./compare.js";
import { objectOf } from "./envelope.js";
import { type AliasDescriptionIntent, parseIntent, SEMANTIC_UNIT } from "./intent.js";
import { readTarget } from "./read-target.js";
import { buildRequest, buildRollbackRequest } from "./request.js";

/**
 * Replaces the description of one firewall alias that is there already, over the REST API v2 of
 * pfSense-pkg-RESTAPI, and nothing else: name, type, members and details stay, and the filter isn't
 * reloaded.
 */
export const pfsenseAliasDescription = Object.freeze<
  CapabilityAdapter<AliasDescriptionIntent, Alias>
>({
  semanticUnit: SEMANTIC_UNIT,
  capability: "FIREWALL_ALIAS_DESCRIPTION_WRITE",
  endpointSymbol: "FIREWALL_ALIAS",
  httpMethod: "PATCH",
  rollbackPlanVersion: "firewall-alias-description-rollback-v1",
  parseIntent,
  parseTarget: (value) => parseAlias(value, "SNAPSHOT_INVALID"),
  naturalIdentity: ({ raw_target_hint }) => raw_target_hint,
  identityOf: ({ name }) => ({ alias_name: name }),
  readTarget,
  // The number isn't part of what an alias is.
  fingerprint: ({ name, type, descr, address, detail }) => ({
    name,
    type,
    descr,
    address,
    detail,
  }),
  transportLocator: ({ id }) => id,
  buildRequest,
  parseResponse: (body) => parseAlias(objectOf(body), "ANSWER_INVALID"),
  isSemanticallyVerified,
  buildRollbackRequest,
  isRollbackVerified,
});
