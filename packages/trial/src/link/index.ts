export { MAX_LINE_BYTES } from "./lines.js";
export {
  type Calls,
  type Contract,
  type Handlers,
  Link,
  type LinkEnd,
  type Method,
  type Reader,
} from "./link.js";
export { socketPair } from "./pair.js";
