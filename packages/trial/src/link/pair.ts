import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";

/**
 * A connected pair of sockets, each to be handed to another child process (Node has no
 * socketpair(2)). Made over a listening socket in a directory that only this user can enter, which
 * is gone before the function returns.
 */
export const socketPair = async (directory: string): Promise<readonly [Socket, Socket]> => {
  const home = await mkdtemp(join(directory, "pair-"));
  const server = createServer({ pauseOnConnect: true });
  try {
    server.listen(join(home, "s"));
    await once(server, "listening");
    const accepted = once(server, "connection") as Promise<[Socket]>;
    const client = connect({ path: join(home, "s"), onread: undefined });
    client.pause();
    await once(client, "connect");
    const [peer] = await accepted;
    return [client, peer];
  } finally {
    server.close();
    await rm(home, { recursive: true, force: true });
  }
};
