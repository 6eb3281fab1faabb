export {
  type ClientOptions,
  createReadClient,
  createWriteClient,
  type ExchangeNote,
} from "./clients.js";
export { type Endpoint, exchange } from "./exchange.js";
