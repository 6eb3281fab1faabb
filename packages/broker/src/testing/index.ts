/** For tests of other rooms: `@drydock/broker/testing`. */
export { A, a, response } from "./dns-message.js";
export { type DnsServer, send, startDnsServer } from "./dns-server.js";
export type { Packet } from "./laboratory/capture.js";
export { ANSWER_CELLS } from "./laboratory/matrix/answers.js";
export {
  BEHIND_A_PAGE,
  GRANTED_PROBES,
  PLAIN_PROBES,
  type Probe,
  SILENT_PROBES,
} from "./laboratory/matrix/probes.js";
export { OPAQUE, RESOLVER, RULES, TLS, WEB } from "./laboratory/places.js";
export { PROBING_PROGRAM, startWorld, type World } from "./laboratory/world.js";
export { enterPrivateNetwork, isInPrivateNetwork } from "./private-network.js";
