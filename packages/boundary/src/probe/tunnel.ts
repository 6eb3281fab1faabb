import { connect } from "node:net";
import type { Answer, Ask } from "./protocol.js";

/** A refusal of the broker's is a few hundred bytes. */
const MAX_HEAD_BYTES = 4_096;

const REASON = /^drydock-reason: ([A-Z][A-Z0-9_]{0,63})\r$/im;

/**
 * CONNECT, as RFC 9110 9.3.6 has it. `reached` when the broker made a tunnel, which is when somebody
 * at the other end took its connection; nothing is sent through it.
 */
export const tunnel = ({
  broker,
  authority,
  timeoutMs,
}: Extract<Ask, { readonly ask: "tunnel" }>): Promise<Answer> =>
  new Promise((resolve) => {
    const socket = connect(broker.port, broker.host);
    let head = "";
    const end = (answer: Answer) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    const timer = setTimeout(end, timeoutMs, SILENT);
    socket.once("connect", () =>
      socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`),
    );
    socket.on("data", (bytes) => {
      head += bytes.toString("latin1");
      if (head.includes("\r\n\r\n") || head.length > MAX_HEAD_BYTES) end(read(head));
    });
    socket.once("end", () => end(head === "" ? SILENT : read(head)));
    socket.on("error", () => end(SILENT));
  });

const SILENT: Answer = { outcome: "silent", said: [] };

const read = (head: string): Answer => {
  if (/^HTTP\/1\.1 200 /.test(head)) return { outcome: "reached", said: [] };
  const reason = REASON.exec(head)?.[1];
  return { outcome: "refused", said: reason === undefined ? [] : [reason] };
};
