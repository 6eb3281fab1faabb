import { readUserFile } from "@drydock/document";
import { type ProxyInput, proxiesShape } from "./schema.js";

/**
 * A file of proxies as Toxiproxy's `-config` takes it, as JSON or YAML.
 *
 * @param name as the user gave it, for messages
 * @throws DrydockError as `readUserFile`
 */
export const readProxiesFile = (bytes: Uint8Array, name: string): readonly ProxyInput[] =>
  readUserFile(bytes, proxiesShape, name).value;
