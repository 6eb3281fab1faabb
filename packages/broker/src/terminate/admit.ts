import type { Authority } from "../authority/authority.js";
import { createCanaryWatch } from "../canary/index.js";
import type { Reason } from "../decision/index.js";
import type { RequestRule } from "../policy/model.js";
import { type Fields, type Inspection, placeSecrets, secretOfSighting } from "../secret/index.js";
import { isRequestFor } from "./host-equality.js";
import { isPathAmbiguous } from "./path-form.js";
import { requestFields, valuesOf } from "./request-fields.js";
import { matchingRule } from "./rule-match.js";

export interface RequestHead {
  readonly method: string;
  /** Origin-form, or `*`. */
  readonly target: string;
  readonly serverName: string | null;
  /** `:authority`; null in HTTP/1.1. */
  readonly pseudo: string | null;
  readonly fields: Fields;
}

export interface AdmissionRules {
  readonly authority: Authority;
  readonly requests: readonly RequestRule[] | null;
  readonly inspection: Inspection;
}

export type Admission =
  | {
      readonly kind: "admitted";
      /** To send on: without Host, which is the authority, and without framing. */
      readonly fields: Fields;
      readonly rule: number | null;
      readonly secrets: readonly string[];
    }
  | {
      readonly kind: "refused";
      readonly reason: Reason;
      /** Name of the secret or id of the canary that was found. */
      readonly finding: string | null;
    };

const refused = (reason: Reason, finding: string | null = null): Admission => ({
  kind: "refused",
  reason,
  finding,
});

/** Decides about one request head. Nothing of it was sent on before. */
export const admitRequest = (
  head: RequestHead,
  { authority, requests, inspection }: AdmissionRules,
): Admission => {
  const { method, target, fields } = head;
  if (!/^[A-Z][A-Z-]{0,31}$/.test(method)) return refused("REQUEST_SYNTAX");
  // TRACE returns the fields that it got, secrets included.
  if (method === "TRACE") return refused("METHOD");
  if (method === "CONNECT" || valuesOf(fields, "upgrade").length > 0) return refused("UPGRADE");
  if (!isTarget(method, target)) return refused("REQUEST_SYNTAX");
  if (!isRequestFor(authority, head)) return refused("HOST_DIFFERENT");

  const [path = ""] = target.split("?", 1);
  const rule = requests === null ? null : matchingRule(requests, method, path);
  if (requests !== null && isPathAmbiguous(path)) return refused("PATH_AMBIGUOUS");
  if (rule === -1) return refused("RULE_NOT_GRANTED");

  const [sighting] = createCanaryWatch(inspection.outbound).push(headBytes(head));
  if (sighting !== undefined) {
    const secret = secretOfSighting(sighting.canary);
    return secret === null
      ? refused("CANARY", sighting.canary)
      : refused("SECRET_ELSEWHERE", secret);
  }
  const placement = placeSecrets(
    target,
    requestFields(fields, inspection.here.length > 0),
    inspection.here,
    inspection.elsewhere,
  );
  switch (placement.kind) {
    case "placed":
      return { kind: "admitted", fields: placement.fields, rule, secrets: placement.used };
    case "refused":
      return refused("SECRET_ELSEWHERE", placement.secret);
  }
};

/** Origin-form in visible ASCII; the asterisk is for OPTIONS (RFC 9112 §3.2). */
const isTarget = (method: string, target: string): boolean =>
  target === "*" ? method === "OPTIONS" : /^\/[\x21\x22\x24-\x7e]*$/.test(target);

const headBytes = ({ method, target, fields }: RequestHead): Uint8Array =>
  Buffer.from(
    [`${method} ${target}`, ...fields.map(([name, value]) => `${name}: ${value}`)].join("\r\n\r\n"),
    "latin1",
  );
