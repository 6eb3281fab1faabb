import { READ_PATHS, type ReadClient, TransportError } from "../client/index.js";

/**
 * What an adapter gets in a client's place: reads of listed paths, and nothing else that the client
 * may also be able to do.
 */
export const readOnly = (client: ReadClient): ReadClient =>
  Object.freeze<ReadClient>({
    get: async (path, query) => {
      if (!READ_PATHS.includes(path)) throw new TransportError("TRANSPORT_NOT_ALLOW_LISTED");
      return client.get(path, query);
    },
  });
