/** For tests of other rooms: `@drydock/broker/testing`. */
export { A, a, response } from "./dns-message.js";
export { type DnsServer, send, startDnsServer } from "./dns-server.js";
export { enterPrivateNetwork } from "./private-network.js";
