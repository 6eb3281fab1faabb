import { connect } from "node:net";
import type { Started } from "./home.js";

/** The JSON lines that it has printed once it is ready, and where it listens. */
export const readyLine = async ({ child }: Started) => {
  let text = "";
  for await (const chunk of child.stdout?.iterator({ destroyOnReturn: false }) ?? []) {
    text += chunk;
    if (text.includes("\n")) break;
  }
  const ready = JSON.parse(text.split("\n")[0] ?? "");
  return { ...ready, port: Number(String(ready.listen).split(":")[1]) };
};

/** Why a proxy refuses a CONNECT, or what it said instead. */
export const ask = async (port: number, authority: string): Promise<string> => {
  const socket = connect(port, "127.0.0.1");
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
  let text = "";
  for await (const chunk of socket) text += chunk;
  return /Drydock-Reason: ([A-Z_]+)/.exec(text)?.[1] ?? text;
};
