import { setTimeout as pause } from "node:timers/promises";
import type { EngineLab } from "../../testing/engine-lab.js";

/** Nodes of the fixture plan, and where each is. */
const NODES: Readonly<Record<string, readonly string[]>> = {
  web: ["10.60.2.8"],
  mail: ["10.60.2.9"],
  database: ["10.60.1.10"],
  workstation: ["10.60.1.20"],
  attacker: ["10.60.3.66"],
  sensor: ["10.60.1.30", "10.60.2.30"],
};

/** Everybody, the participant's anchor, and the host as each network sees it. */
const CALLED: readonly string[] = [
  ...Object.values(NODES)
    .flat()
    .map((address) => `${address}:80`),
  "10.99.1.10:8080",
  ...["10.60.1.1:80", "10.60.2.1:80", "10.60.3.1:80"],
];

/** What the fixture plan allows on these ports, and nothing else of it. */
export const ALLOWED: readonly string[] = ["attacker", "mail", "workstation"].map(
  (from) => `${from} 10.60.2.8:80`,
);

/**
 * What a node runs: it answers on port 80, and calls everybody, over and over, from its first moment
 * to its last. Whom it reached is in its log, once each time. No call is for long: one whose
 * connection is forgotten between its first packet and its last waits a quarter of an hour to end.
 */
export const CALLER: readonly string[] = [
  "/bin/sh",
  "-c",
  [
    "nc -ll -p 80 -e /bin/cat &",
    "call() { while :; do timeout 3 nc -w 1 $1 $2 </dev/null >/dev/null 2>&1 && echo reached $1:$2; sleep 1; done; }",
    ...CALLED.map((place) => `call ${place.replace(":", " ")} &`),
    "wait",
  ].join("\n"),
];

/** Who reached whom since the nodes were made, as `from address:port`, but for themselves. */
export const reached = async (lab: EngineLab, owner: string): Promise<ReadonlySet<string>> => {
  const found = new Set<string>();
  for (const [node, addresses] of Object.entries(NODES)) {
    const log = await lab.docker("logs", `${owner}-${node}`).catch(() => "");
    for (const [, place = ""] of log.matchAll(/^reached (\S+)$/gm)) {
      if (!addresses.some((own) => place.startsWith(`${own}:`))) found.add(`${node} ${place}`);
    }
  }
  return found;
};

/** Until all of them were reached. */
export const untilReached = async (
  lab: EngineLab,
  owner: string,
  wanted: readonly string[],
): Promise<void> => {
  for (let tries = 0; ; tries += 1) {
    const found = await reached(lab, owner);
    if (wanted.every((one) => found.has(one))) return;
    if (tries > 600) throw new Error(`never: ${wanted}; but ${[...found]}`);
    await pause(200);
  }
};
