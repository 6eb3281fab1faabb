import { request as plainRequest } from "node:http";
import { request as tlsRequest } from "node:https";

export interface AskOptions {
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Then the client gives up; also after `PATIENCE_MS`, in which anything is answered. */
  readonly giveUpOn?: Promise<unknown>;
  readonly ca?: string;
}

const PATIENCE_MS = 8_000;

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
  { body, headers = {}, giveUpOn, ca }: AskOptions = {},
): Promise<Answer> =>
  new Promise((resolve) => {
    const options = { host: "127.0.0.1", port, method, path, headers, agent: false };
    const request =
      ca === undefined
        ? plainRequest(options)
        : tlsRequest({ ...options, ca, servername: "alias.lab.invalid" });
    const giveUp = (): void => {
      request.destroy(Object.assign(new Error(), { code: "GAVE_UP" }));
    };
    const late = setTimeout(giveUp, PATIENCE_MS);
    void giveUpOn?.then(giveUp);
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
