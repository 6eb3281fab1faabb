import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { temporaryDirectory } from "@drydock/testkit";

/** Two ends of one connection, closed when the test ends. */
export const socketPair = async (test: {
  after(fn: () => void): void;
}): Promise<readonly [Socket, Socket]> => {
  const path = `${temporaryDirectory(test)}/socket`;
  const server = createServer();
  server.listen(path);
  await once(server, "listening");
  const near = connect(path);
  const [far] = (await once(server, "connection")) as [Socket];
  server.close();
  test.after(() => {
    near.destroy();
    far.destroy();
  });
  return [near, far];
};
