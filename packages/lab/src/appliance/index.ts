/**
 * A stand-in for a firewall appliance with the package pfSense-pkg-RESTAPI, version 2.10. It is not
 * pfSense, and says so; docs/acceptance.md lists what it promises to be like and what it isn't.
 */
export { type Account, keysOf, type LabSecrets, labAccounts, usersOf } from "./accounts.js";
export type { Configuration, Stored } from "./configuration/index.js";
export { privilegeOf } from "./request/index.js";
export {
  type ApplianceIdentity,
  type ApplianceOptions,
  createApplianceIdentity,
  type IdentityOptions,
  makeLink,
  namespaceIdentity,
  obey,
  type Place,
  type RunningAppliance,
  requirePlace,
  startAppliance,
  startLabAppliance,
} from "./server/index.js";
export type { Snapshot } from "./snapshot.js";
