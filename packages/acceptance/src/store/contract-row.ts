import { canonicalise, parseJson } from "@drydock/evidence";
import { sha256Hex } from "../canonical/index.js";
import { type HexDigest, parseContract, type RecoveryContract } from "../contract/index.js";
import { requireAuthentic } from "./authentic.js";
import { storeFault } from "./fault.js";
import type { RowMac } from "./mac.js";

/** Three artifacts of a mebibyte each in base64, and the rest. */
const MAX_RECORD_BYTES = 5 * 1024 * 1024;

/** The whole contract is in `record`; the columns beside it are there to be looked up by. */
export type ContractRow = {
  readonly contract_id: string;
  readonly operation_id: string;
  readonly idempotency_key: string;
  readonly target_identity_digest: string;
  readonly state: string;
  readonly state_version: number;
  readonly expires_at: number;
  readonly record: string;
  readonly mac: string;
};

export const contractRow = (contract: RecoveryContract, mac: RowMac): ContractRow => {
  const record = canonicalise(contract);
  return {
    contract_id: contract.contractId,
    operation_id: contract.operationId,
    idempotency_key: contract.idempotencyKey,
    target_identity_digest: contract.targetIdentityDigest,
    state: contract.state,
    state_version: contract.stateVersion,
    expires_at: contract.expiresAt,
    record,
    mac: mac("contracts", [record]),
  };
};

/** @throws DrydockError STORE_INTEGRITY */
export const readContractRow = (row: ContractRow, mac: RowMac): RecoveryContract => {
  const contract = parsed(row.record);
  requireAuthentic("contracts", row, contractRow(contract, mac));
  return contract;
};

export const contractDigest = (contract: RecoveryContract): HexDigest =>
  sha256Hex(Buffer.from(canonicalise(contract)));

const parsed = (record: string): RecoveryContract => {
  try {
    return parseContract(parseJson(Buffer.from(record), { maxBytes: MAX_RECORD_BYTES }));
  } catch (error) {
    throw storeFault("STORE_INTEGRITY", "a contract's record isn't one", error);
  }
};
