import type { Reason } from "../decision/index.js";
import type { EgressGrant } from "../policy/index.js";
import type { AbsoluteRequest, ConnectRequest } from "../request/index.js";
import { isPathAmbiguous } from "../terminate/path-form.js";
import { matchingRule } from "../terminate/rule-match.js";

/**
 * Why a grant's method and path rules don't admit a request, or null. Guard: of the protocol `http`
 * this is the only place that knows a request's method and path before it is sent on. A CONNECT has
 * neither; what is inside of its tunnel is judged where TLS is terminated.
 */
export const judgeRequest = (
  request: ConnectRequest | AbsoluteRequest,
  { requests }: Pick<EgressGrant, "requests">,
): Reason | null => {
  if (request.kind === "connect" || requests === null) return null;
  if (isPathAmbiguous(request.path)) return "PATH_AMBIGUOUS";
  return matchingRule(requests, request.method, request.path) === -1 ? "RULE_NOT_GRANTED" : null;
};
