import { type JsonValue, shape } from "@drydock/evidence";
import { hexDigest, identifier, millis } from "../contract/fields.js";
import type { ConfirmationEvidence } from "./evidence.js";
import { readEvidence } from "./read.js";

const said = shape.object({
  authorityId: identifier,
  algorithm: identifier,
  nonce: identifier,
  contractId: identifier,
  operationId: identifier,
  targetIdentityDigest: hexDigest,
  targetFingerprint: hexDigest,
  intentDigest: hexDigest,
  issuedAt: millis,
  expiresAt: millis,
});

/** @throws DrydockError EVIDENCE_INVALID */
export const parseConfirmation = ({ proof, ...rest }: ConfirmationEvidence): ConfirmationEvidence =>
  readEvidence(said, rest satisfies JsonValue, proof);
