export { type ExitControl, type ExitReport, verifyExit } from "./exit.js";
export {
  type SupervisorControl,
  type SupervisorOptions,
  supervisorControl,
} from "./supervisor-control.js";
