export { applied, commit } from "./commit.js";
export {
  type Appliance,
  type Behaviour,
  type Configuration,
  FIREWALL_SUBSYSTEMS,
  type ListName,
  type Revision,
  type Stored,
  type Subsystem,
} from "./configuration.js";
export { withDuplicate } from "./duplicate.js";
export { factoryConfiguration } from "./factory.js";
export { revisionOf, withoutNewestBytes } from "./history.js";
export { atLeast, DRY_RUN_SINCE } from "./version.js";
