export { type ApplianceIdentity, createApplianceIdentity, type IdentityOptions } from "./ca.js";
export { obey } from "./control.js";
export { startLabAppliance } from "./lab-appliance.js";
export { makeLink, namespaceIdentity } from "./link.js";
export { type Place, requirePlace } from "./place.js";
export { type ApplianceOptions, type RunningAppliance, startAppliance } from "./start.js";
