export { differentContainers } from "./containers.js";
export { observeForwards } from "./forwards.js";
export { type GuestSources, observeGuest, type SignedImages, unobserved } from "./guest.js";
export { type HostRequest, observeHost } from "./host.js";
export { type Check, rememberingCheck } from "./remembering-check.js";
export { WORKBENCH_LABEL, workbenchVersionOf } from "./workbench.js";
