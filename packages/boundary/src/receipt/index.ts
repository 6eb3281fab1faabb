export { judgeReadbackReceipt, type ReadbackDemand, type ReadbackFault } from "./judge.js";
export { readbackReceiptOf } from "./make.js";
export {
  MAX_READBACK_RECEIPT_BYTES,
  READBACK_RECEIPT_SCHEMA,
  type ReadbackReceipt,
  signReadbackReceipt,
} from "./receipt.js";
