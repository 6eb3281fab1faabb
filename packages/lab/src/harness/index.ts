export {
  type AcceptanceOptions,
  type AcceptanceReport,
  runFullAcceptance,
} from "./run-full-acceptance.js";
