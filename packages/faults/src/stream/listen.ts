import type { Server } from "node:net";
import { DrydockError } from "@drydock/evidence";

export interface Address {
  readonly host: string;
  readonly port: number;
}

/**
 * Listens, and says where: port 0 takes a free one.
 *
 * @throws DrydockError LISTEN_FAILED; its cause has the system's code
 */
export const listenOn = async (server: Server, { host, port }: Address): Promise<Address> => {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port, exclusive: true }, () => {
      server.off("error", reject);
      resolve();
    });
  }).catch((cause: unknown) => {
    throw new DrydockError("LISTEN_FAILED", `can't listen on ${host} port ${port}`, {
      fix: "Take an address of this machine and a port that is free, or port 0.",
      cause,
    });
  });
  const address = server.address();
  return typeof address === "object" && address !== null
    ? { host: address.address, port: address.port }
    : { host, port };
};
