export type {
  AmbiguousReason,
  ApplianceRequest,
  NotSentReason,
  ReadAnswer,
  ReadClient,
  SendOutcome,
  WriteClient,
} from "./clients.js";
export {
  type ApiPath,
  ENDPOINTS,
  type EndpointSymbol,
  type HttpMethod,
  READ_PATHS,
} from "./endpoints.js";
export { TRANSPORT_CODES, TransportError, type TransportErrorCode } from "./transport-error.js";
