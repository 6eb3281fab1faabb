import { octets, openOctets } from "../client.js";
import type { Laboratory } from "../laboratory.js";
import { TLS } from "../places.js";
import type { AnswerCell } from "./answers.js";
import { attempt, type Outcome, observe } from "./attempt.js";
import type { HeadCell } from "./heads.js";
import { type HelloCell, RETRY } from "./hellos.js";
import { granted, requestFor } from "./request.js";

interface Test {
  after(fn: () => unknown): void;
}

export const tryHead = (test: Test, lab: Laboratory, cell: HeadCell): Promise<Outcome> =>
  observe(lab, async () => {
    lab.set({ webSays: cell.webSays ?? null });
    const client = openOctets(test, lab.broker.port);
    client.say(cell.octets);
    await client.answer();
    client.socket.end();
    await client.read(1);
  });

/** `reset`: whether the client was cut off, as it has to be where a tunnel was open. */
export const tryHello = async (
  test: Test,
  lab: Laboratory,
  cell: HelloCell,
): Promise<Outcome & { readonly reset: boolean }> => {
  let reset = false;
  const outcome = await observe(lab, async () => {
    if (cell.retry) lab.set({ tlsSays: RETRY });
    const client = openOctets(test, lab.broker.port);
    client.socket.on("error", (error) => {
      reset = "code" in error && error.code === "ECONNRESET";
    });
    client.say(requestFor("connect", octets(`${TLS.host}:${TLS.port}`)));
    await client.answer();
    client.socket.write(cell.bytes);
    if (cell.ends) client.socket.end();
    await client.read(cell.retry ? RETRY.length + 1 : 1);
    client.socket.end();
    await client.read(1);
  });
  return { ...outcome, reset };
};

export const tryAnswer = async (
  test: Test,
  lab: Laboratory,
  cell: AnswerCell,
): Promise<Outcome> => {
  const usual = { technique: "connect", route: "direct", authority: granted("connect") } as const;
  if (cell.again) await attempt(test, lab, usual);
  lab.set({ script: cell.script });
  return attempt(test, lab, usual);
};
