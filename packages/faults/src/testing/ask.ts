import { request as plainRequest } from "node:http";
import { request as tlsRequest } from "node:https";

export interface AskOptions {
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** After so many milliseconds without an answer the client gives up. */
  readonly giveUpMs?: number;
  readonly ca?: string;
}

/** As a client sees it: an answer, whole or cut, or why there is none. */
export type Answer =
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly body: string;
      readonly whole: boolean;
    }
  | { readonly kind: "failed"; readonly code: string };

export const ask = (
  port: number,
  method: string,
  path: string,
  { body, headers = {}, giveUpMs, ca }: AskOptions = {},
): Promise<Answer> =>
  new Promise((resolve) => {
    const options = { host: "127.0.0.1", port, method, path, headers, agent: false };
    const request =
      ca === undefined
        ? plainRequest(options)
        : tlsRequest({ ...options, ca, servername: "alias.lab.invalid" });
    const late =
      giveUpMs === undefined
        ? undefined
        : setTimeout(
            () => request.destroy(Object.assign(new Error(), { code: "GAVE_UP" })),
            giveUpMs,
          );
    request.on("error", (error) => {
      clearTimeout(late);
      resolve({ kind: "failed", code: String(Reflect.get(error, "code")) });
    });
    request.on("response", (response) => {
      const chunks: Buffer[] = [];
      const end = (): void => {
        clearTimeout(late);
        const { statusCode: status = 0, complete: whole } = response;
        resolve({ kind: "answered", status, body: Buffer.concat(chunks).toString(), whole });
      };
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", end);
      response.on("error", end);
    });
    request.end(body);
  });
