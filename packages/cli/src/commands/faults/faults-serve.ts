import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { formatListen, parseListen } from "@drydock/broker";
import { DrydockError, quote } from "@drydock/evidence";
import { readProxiesFile, startToxiproxy } from "@drydock/faults";
import { haltNow, whyHalted } from "@drydock/trial";
import { verdictExitCode } from "../../exit.js";
import { visible } from "../../terminal/sanitise.js";
import { type JsonFlag, stateLayout } from "../context.js";

export interface FaultsServeFlags extends JsonFlag {
  readonly listen: string;
  readonly config?: string;
  readonly seed?: string;
  readonly listenBeyondLoopback?: boolean;
  readonly upstreamBeyondLoopback?: boolean;
}

/** A halt reaches running proxies within this. */
const LOOK_EVERY_MS = 1_000;
const SIGNALS = ["SIGTERM", "SIGINT"] as const;

/** `drydock faults serve`: runs until SIGTERM or SIGINT, or a halt. */
export const faultsServe = async (flags: FaultsServeFlags): Promise<number> => {
  const seed = seedFrom(flags.seed);
  const { config } = flags;
  const server = await startToxiproxy({
    listen: parseListen(flags.listen),
    reach: {
      listen: flags.listenBeyondLoopback === true,
      upstream: flags.upstreamBeyondLoopback === true,
    },
    seed,
    populate: config === undefined ? [] : readProxiesFile(readFileSync(config), config),
  });
  const listen = formatListen(server.address);
  const { proxies } = server;
  tell(
    flags,
    { ready: true, listen, proxies, seed },
    `listening on ${listen}, ${proxies} ${proxies === 1 ? "proxy" : "proxies"}, seed ${seed}`,
  );
  const reason = await ending();
  await server.close();
  const end = reason === null ? "stopped" : "halted";
  const why = reason === null ? "" : `: ${visible(reason, 2000)}`;
  tell(flags, { ready: false, end, reason }, `${end}${why}`);
  return reason === null ? 0 : verdictExitCode("BLOCKED");
};

const seedFrom = (text: string | undefined): number => {
  if (text === undefined) return randomBytes(4).readUInt32BE();
  const seed = /^(?:0|[1-9][0-9]{0,9})$/.test(text) ? Number(text) : Number.NaN;
  if (seed < 2 ** 32) return seed;
  throw new DrydockError("USAGE", `${quote(text)} is no seed`, {
    fix: `Write a whole number from 0 to ${2 ** 32 - 1}.`,
  });
};

/** Null after a signal, or why there is a halt. */
const ending = async (): Promise<string | null> => {
  const layout = stateLayout();
  let stop: () => void = () => undefined;
  let look: NodeJS.Timeout | undefined;
  try {
    return await new Promise<string | null>((resolve, reject) => {
      stop = () => resolve(null);
      for (const signal of SIGNALS) process.on(signal, stop);
      look = setInterval(() => {
        try {
          const status = haltNow(layout);
          if (status.halted) resolve(whyHalted(status));
        } catch (error) {
          reject(error);
        }
      }, LOOK_EVERY_MS);
    });
  } finally {
    clearInterval(look);
    for (const signal of SIGNALS) process.off(signal, stop);
  }
};

const tell = (flags: JsonFlag, facts: object, line: string): void => {
  process.stdout.write(`${flags.json === true ? JSON.stringify(facts) : line}\n`);
};
