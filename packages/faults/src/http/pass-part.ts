import type { IncomingMessage, ServerResponse } from "node:http";
import { endToEnd } from "./headers.js";

/**
 * Passes the head of an answer and the first bytes of its body, never all of it: where there is no
 * body, nothing. The response is left open; whoever closes its connection truncates it.
 */
export const passPart = (
  answer: IncomingMessage,
  response: ServerResponse,
  bytes: number,
  onPassed: () => void,
): void => {
  const length = Number(answer.headers["content-length"] ?? Number.NaN);
  const limit = Number.isNaN(length) ? bytes : Math.min(bytes, length - 1);
  const hasBody = limit >= 0 && response.req.method !== "HEAD" && answer.statusCode !== 204;
  let open = true;
  let left = Math.max(0, limit);
  const close = (): void => {
    if (!open) return;
    open = false;
    answer.resume();
    onPassed();
  };
  if (hasBody) {
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEnd(answer.rawHeaders));
    response.flushHeaders();
  }
  if (left === 0) {
    close();
    return;
  }
  answer.on("data", (chunk: Buffer) => {
    if (!open) return;
    const part = chunk.subarray(0, left);
    left -= part.length;
    response.write(part);
    if (left === 0) close();
  });
  answer.once("end", close);
};
