import {
  type ClientHttp2Session,
  connect,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from "node:http2";
import { secure } from "./h1.js";
import { type After, AUTHORITY, type Door } from "./lab.js";

export const openH2 = async (
  test: After,
  door: Pick<Door, "port" | "ca">,
): Promise<ClientHttp2Session> => {
  const socket = await secure(door, { alpn: ["h2"] });
  const session = connect(`https://${AUTHORITY.host}`, { createConnection: () => socket });
  session.on("error", () => undefined);
  test.after(() => session.destroy());
  return session;
};

export interface H2Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly trailers: IncomingHttpHeaders;
  readonly code: number | undefined;
}

/** One stream from its request to its close. Never rejects: a reset is an answer too. */
export const ask = (
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  body: Uint8Array | string = "",
): Promise<H2Answer> =>
  new Promise((resolve) => {
    const stream = session.request(headers, { endStream: body.length === 0 });
    let received = "";
    let answered: IncomingHttpHeaders & { ":status"?: number | undefined } = {};
    let trailers: IncomingHttpHeaders = {};
    stream.on("error", () => undefined);
    stream.on("response", (head) => {
      answered = head;
    });
    stream.on("trailers", (head) => {
      trailers = head;
    });
    stream.on("data", (chunk) => {
      received += chunk;
    });
    stream.on("close", () =>
      resolve({
        status: answered[":status"],
        headers: answered,
        body: received,
        trailers,
        code: stream.rstCode,
      }),
    );
    if (body.length > 0) stream.end(body);
  });
