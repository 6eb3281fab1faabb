import type { ServerResponse } from "node:http";

/** The proxy's own answer. Never a 403: that is what proves a permission's revocation. */
export const refuse = (response: ServerResponse, status: number, error: string): void => {
  const body = JSON.stringify({ error, status, by: "fault-proxy" });
  response.writeHead(status, {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(body),
    Connection: "close",
  });
  response.end(body);
};
