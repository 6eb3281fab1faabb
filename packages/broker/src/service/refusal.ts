import { REASONS, type Reason } from "../decision/index.js";

/**
 * What a client gets for every refusal before a tunnel: one status, one form, the reason's code and
 * what it means. Nothing in it was looked up or came from the client.
 */
export const refusalBytes = (reason: Reason): Buffer => {
  const body = `${reason}: ${REASONS[reason].doc}\n`;
  return Buffer.from(
    `HTTP/1.1 403 Forbidden\r\nDrydock-Reason: ${reason}\r\nContent-Type: text/plain\r\n` +
      `Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
    "latin1",
  );
};
