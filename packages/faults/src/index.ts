export type { Amount, Fault, FaultKind, Operation, Phase } from "./arming/model.js";
export {
  type ArmOptions,
  FaultProxy,
  type FaultProxyOptions,
  type ProxyEnd,
} from "./control/fault-proxy.js";
export type { Delivered } from "./http/delivery.js";
export type { ExchangeRecord, Outcome } from "./http/model.js";
export { readProxiesFile } from "./toxiproxy/proxies-file.js";
export { startToxiproxy, type Toxiproxy, type ToxiproxyOptions } from "./toxiproxy/server.js";
