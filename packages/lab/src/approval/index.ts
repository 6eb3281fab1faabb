export {
  type Approval,
  type ApprovalSignature,
  parseApproval,
  parseApprovalSignature,
} from "./approval.js";
export { type Approvers, requireApproval, type ToApprove } from "./require-approval.js";
