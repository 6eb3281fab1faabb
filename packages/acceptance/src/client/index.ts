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
export { TransportError, type TransportErrorCode } from "./transport-error.js";
