export { guestSaid, type HostSession, hostSent, NEW_HOST_SESSION, type Request } from "./host.js";
