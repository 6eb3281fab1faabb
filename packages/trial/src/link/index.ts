export {
  type Calls,
  type Handlers,
  Link,
  type LinkEnd,
  type Method,
} from "./link.js";
export { need } from "./need.js";
export { socketPair } from "./pair.js";
