import { AssertionError } from "node:assert";
import type { EgressReceipt } from "../../../service/index.js";
import { type Client, octets, openOctets } from "../client.js";
import type { Laboratory, Seen } from "../laboratory.js";
import type { BrokerRoute, Expectation } from "./model.js";
import { type BrokerTechnique, granted, requestFor } from "./request.js";

interface Test {
  after(fn: () => unknown): void;
}

export interface Attempt {
  readonly technique: BrokerTechnique;
  readonly route: BrokerRoute;
  readonly authority: string;
}

export interface Outcome extends Expectation {
  /** All that servers were sent. */
  readonly bytes: Buffer;
}

const UPGRADE = ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk"];

/** Tries an authority in one way, and says what came of it. */
export const attempt = async (
  test: Test,
  lab: Laboratory,
  { technique, route, authority }: Attempt,
): Promise<Outcome> => {
  const { client, text } = await begin(test, lab, { technique, route, authority });
  return observe(lab, async () => {
    client.say(requestFor(technique, text, route === "upgrade" ? UPGRADE : []));
    await use(client, technique);
  });
};

/** Everything before the request that a cell is about. */
const begin = async (
  test: Test,
  lab: Laboratory,
  { technique, route, authority }: Attempt,
): Promise<{ readonly client: Client; readonly text: string }> => {
  const text = octets(authority);
  const client = openOctets(test, lab.broker.port);
  switch (route) {
    case "direct":
    case "upgrade":
      return { client, text };
    case "reuse":
      client.say(requestFor("absolute", granted("absolute")));
      await client.answer();
      return { client, text };
    case "redirect": {
      const [before, behind] =
        technique === "connect" ? ["https://", "/here"] : ["http://", "/here"];
      lab.set({ location: `${before}${text}${behind}` });
      const page = requestFor("absolute", granted("absolute"), ["Connection: close"]);
      client.say(page.replace("/here HTTP", "/redirect HTTP"));
      const { head } = await client.answer();
      const [, location = ""] = /^Location: (.*)\r$/im.exec(head) ?? [];
      client.socket.end();
      await lab.quiet();
      const next = openOctets(test, lab.broker.port);
      return { client: next, text: location.slice(before.length, -behind.length) };
    }
  }
};

/** Reads the answer, and uses what was granted once. */
const use = async (client: Client, technique: BrokerTechnique): Promise<void> => {
  const answer = await client.answer();
  if (answer.status === 200 && technique === "connect") {
    client.say("ping");
    await client.read("ping".length);
  }
  client.socket.end();
  // Whoever closes last has said all.
  await client.read(1);
};

/** What happens until a client's connection is over: as receipts and packets say it, not the client. */
export const observe = async (lab: Laboratory, act: () => Promise<void>): Promise<Outcome> => {
  const { reach, bytes, receipts }: Seen = await lab.watch(() =>
    within(async () => {
      await act();
      await lab.quiet();
    }),
  );
  return { reason: refusalIn(receipts), reach, bytes };
};

/** Far longer than anything takes. A broker that has lost a guard may leave somebody waiting. */
const NO_END_MS = 30_000;

const within = async (act: () => Promise<void>): Promise<void> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new AssertionError({ message: "expected an end" });
    timer = setTimeout(() => reject(error), NO_END_MS);
  });
  await Promise.race([act(), late]).finally(() => clearTimeout(timer));
};

const refusalIn = (receipts: readonly EgressReceipt[]): Expectation["reason"] => {
  for (const receipt of receipts) {
    if (receipt.kind === "shed") return "CAPACITY";
    const { reason } = receipt;
    if (reason !== "GRANTED" && reason !== "CLOSED" && reason !== "CLIENT_RESET") return reason;
  }
  return null;
};
