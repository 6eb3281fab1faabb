export {
  ATTESTATION_SCHEMA,
  type Attestation,
  OPERATOR_SURFACES,
  parseAttestation,
} from "./attestation.js";
export { type AttestedInputs, requireValid } from "./require-valid.js";
