import type { HexDigest, Identifier, Millis } from "../contract/index.js";
import { requireAuthentic } from "./authentic.js";
import type { RowMac } from "./mac.js";
import type { Reservation } from "./port.js";

export type ReservationRow = {
  readonly target_identity_digest: string;
  readonly contract_id: string;
  readonly mac: string;
};

export const reservationRow = (
  { targetIdentityDigest, contractId }: Reservation,
  mac: RowMac,
): ReservationRow => ({
  target_identity_digest: targetIdentityDigest,
  contract_id: contractId,
  mac: mac("target_reservations", [targetIdentityDigest, contractId]),
});

/** @throws DrydockError STORE_INTEGRITY */
export const readReservationRow = (row: ReservationRow, mac: RowMac): Reservation => {
  const reservation = {
    targetIdentityDigest: row.target_identity_digest,
    contractId: row.contract_id,
  };
  requireAuthentic("target_reservations", row, reservationRow(reservation, mac));
  return reservation;
};

export type CooldownRow = {
  readonly target_identity_digest: string;
  readonly until: number;
  readonly mac: string;
};

export const cooldownRow = (target: HexDigest, until: Millis, mac: RowMac): CooldownRow => ({
  target_identity_digest: target,
  until,
  mac: mac("rate_cooldowns", [target, until]),
});

/** @throws DrydockError STORE_INTEGRITY */
export const readCooldownRow = (row: CooldownRow, mac: RowMac): Millis => {
  const wanted = cooldownRow(row.target_identity_digest, row.until, mac);
  requireAuthentic("rate_cooldowns", row, wanted);
  return row.until;
};

export type NonceRow = {
  readonly authority_id: string;
  readonly nonce: string;
  readonly contract_id: string;
  readonly mac: string;
};

export interface SpentNonce {
  readonly authorityId: Identifier;
  readonly nonce: Identifier;
  readonly contractId: Identifier;
}

export const nonceRow = (
  { authorityId, nonce, contractId }: SpentNonce,
  mac: RowMac,
): NonceRow => ({
  authority_id: authorityId,
  nonce,
  contract_id: contractId,
  mac: mac("spent_nonces", [authorityId, nonce, contractId]),
});

/** @throws DrydockError STORE_INTEGRITY */
export const readNonceRow = (row: NonceRow, mac: RowMac): SpentNonce => {
  const spent = { authorityId: row.authority_id, nonce: row.nonce, contractId: row.contract_id };
  requireAuthentic("spent_nonces", row, nonceRow(spent, mac));
  return spent;
};
