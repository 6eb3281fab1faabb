export type { ApplianceAim } from "./appliance.js";
export { differentContainers } from "./containers.js";
export { type Expected, expectedOn } from "./expected.js";
export { type GuestSources, observeGuest, type SignedImages } from "./guest.js";
export { type HostRequest, observeHost } from "./host.js";
export { rememberingCheck } from "./remembering-check.js";
