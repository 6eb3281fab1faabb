export { guestSaid } from "./guest-said.js";
export { type HostSession, hostSent, NEW_HOST_SESSION, type Request } from "./host.js";
