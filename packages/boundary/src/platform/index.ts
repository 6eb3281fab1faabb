export type { PlatformMount } from "./mount.js";
export {
  type Platform,
  type PlatformAnchor,
  type PlatformNetwork,
  type PlatformPublication,
  parsePlatform,
} from "./parse.js";
export { PLATFORM_SCHEMA, platformJsonSchema } from "./schema.js";
