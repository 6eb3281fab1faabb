export {
  type Client,
  type Field,
  flag,
  integer,
  remark,
  type Surroundings,
  text,
} from "./field.js";
export { isFqdn, isInSubnet, isPort, isPortRange, parseIp, parseSubnet } from "./ip.js";
export { MAX_OBJECTS, type Model } from "./model.js";
export {
  filterAddress,
  interfaceName,
  port,
  specialNetwork,
  subnet,
} from "./network-fields.js";
export { findById, readBack, type Sibling, shown, validateObject } from "./validate.js";
