import { connect } from "node:tls";
import { octets, openOctets } from "../client.js";
import type { Laboratory } from "../laboratory.js";
import { TLS, VAULT } from "../places.js";
import type { AnswerCell } from "./answers.js";
import { attempt, type Outcome, observe } from "./attempt.js";
import type { HeadCell } from "./heads.js";
import { type HelloCell, RETRY } from "./hellos.js";
import { granted, requestFor } from "./request.js";
import type { RequestCell } from "./requests.js";

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
  if (cell.before !== undefined) {
    lab.set({ script: cell.before });
    await attempt(test, lab, usual);
  }
  const atOnce = cell.atOnce === true;
  lab.set({ script: cell.script, resolverAnswers: cell.unanswered !== true, atOnce });
  return attempt(test, lab, usual);
};

/** `said`: all that the client was sent inside of the tunnel. */
export const tryRequest = async (
  test: Test,
  lab: Laboratory,
  cell: RequestCell,
): Promise<Outcome & { readonly said: string }> => {
  let said = "";
  lab.vault.prove(cell.impostor !== true);
  const outcome = await observe(lab, async () => {
    const client = openOctets(test, lab.broker.port);
    client.say(requestFor("connect", `${VAULT.host}:${VAULT.port}`));
    await client.answer();
    const { socket } = client;
    const secure = connect({ socket, servername: VAULT.host, ca: lab.vault.caPem });
    secure.on("error", () => undefined);
    secure.setEncoding("latin1");
    await new Promise<void>((resolve) => {
      secure.on("data", (text: string) => {
        said += text;
        // The vault's answers end so; whatever else comes has an end of its own.
        if (said.endsWith("here")) secure.end();
      });
      secure.once("end", () => secure.end());
      secure.once("close", resolve);
      secure.once("secureConnect", () => secure.write(cell.octets, "latin1"));
    });
    socket.destroy();
  });
  return { ...outcome, said };
};
