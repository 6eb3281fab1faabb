import { type Trust, verifyIn } from "@drydock/evidence";
import { type HaltSignatureCheck, type HaltStatus, haltStatus } from "@drydock/ledger";
import { haltPlaces } from "../state/index.js";
import { isThere } from "./is-there.js";
import { loadTrust } from "./keys.js";
import type { StateLayout } from "./layout.js";

/** A halt is lifted only by a key that the trust file lists for `halt` at that instant. */
export const haltSignatureCheck =
  (trust: Trust): HaltSignatureCheck =>
  (statement, signature, at) =>
    trust.authorities.some(
      (authority) =>
        authority.key.keyId === signature.keyId &&
        authority.namespaces.includes("halt") &&
        authority.revoked === null &&
        authority.notBefore <= at &&
        at < authority.notAfter &&
        verifyIn("halt", statement, Buffer.from(signature.value, "base64"), authority.key),
    );

export const readHaltState = (layout: StateLayout, trust: Trust): HaltStatus =>
  haltStatus(haltPlaces(layout), haltSignatureCheck(trust));

/**
 * The halt state before anything was made. Without a trust file there is no key that could have
 * lifted a halt, and nothing else follows from its absence.
 */
export const haltNow = (layout: StateLayout): HaltStatus =>
  readHaltState(layout, isThere(layout.trust) ? loadTrust(layout.trust) : { authorities: [] });
