import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export interface PrivateNetwork {
  /** Public addresses that this network owns, as text; 127.0.0.1 and ::1 are always there. */
  readonly addresses: readonly string[];
  /** Owned too, but whatever is sent there vanishes: a connection hangs, a query has no answer. */
  readonly silent?: readonly string[];
  /**
   * Every address of both families leads here, the special ones as well: whatever is sent anywhere
   * arrives, and a listener on `::` or on any address answers for it.
   */
  readonly everyAddress?: boolean;
}

const INSIDE = "DRYDOCK_TEST_PRIVATE_NETWORK";

/**
 * Moves the running test file into a network namespace of its own, in which public addresses lead
 * to this machine and everything else is unreachable. To be called first in a test file:
 *
 *     enterPrivateNetwork(import.meta.url, { addresses: ["93.184.216.34"] });
 *
 * It returns inside. Outside it runs the file again inside, hands through what that reports, and
 * ends the process: names, patterns and module swaps hold as if nothing had happened. Needs root.
 */
export const enterPrivateNetwork = (testFile: string, network: PrivateNetwork): void => {
  if (isInPrivateNetwork(testFile)) {
    setUp(network);
    return;
  }
  const { status, error } = spawnSync(
    "setpriv",
    [
      // The namespace's processes end with whoever waits for them here.
      ...["--pdeathsig", "KILL", "unshare", "--net", "--fork", "--kill-child=KILL"],
      ...[process.execPath, ...process.execArgv, fileURLToPath(testFile)],
    ],
    { stdio: "inherit", env: { ...process.env, [INSIDE]: testFile } },
  );
  if (error !== undefined) throw error;
  process.exit(status ?? 1);
};

/** Whether this is the run inside; outside, what needs the machine's own network can be prepared. */
export const isInPrivateNetwork = (testFile: string): boolean => process.env[INSIDE] === testFile;

/** For a test file that is started from within such a network, and shall stay in it. */
export const inThisNetwork = (testFile: string): NodeJS.ProcessEnv => ({ [INSIDE]: testFile });

const setUp = ({ addresses, silent = [], everyAddress = false }: PrivateNetwork): void => {
  command("ip", ["link", "set", "lo", "up"]);
  if (everyAddress) {
    command("ip", ["-4", "route", "replace", "local", "0.0.0.0/0", "dev", "lo"]);
    command("ip", ["-6", "route", "replace", "local", "::/0", "dev", "lo"]);
  }
  for (const address of [...addresses, ...silent]) {
    const [family, length] = address.includes(":") ? ["-6", "128"] : ["-4", "32"];
    const noDad = family === "-6" ? ["nodad"] : [];
    command("ip", [family, "address", "add", `${address}/${length}`, "dev", "lo", ...noDad]);
  }
  if (silent.length > 0) command("nft", ["-f", "-"], dropRules(silent));
};

const dropRules = (addresses: readonly string[]): string => {
  const rules = addresses.map(
    (address) => `${address.includes(":") ? "ip6" : "ip"} daddr ${address} drop`,
  );
  const chain = ["type filter hook input priority 0", ...rules].join("\n");
  return `table inet silent {\nchain input {\n${chain}\n}\n}\n`;
};

const command = (program: string, args: readonly string[], input = ""): void => {
  const { status, stderr, error } = spawnSync(program, args, { input, encoding: "utf8" });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${stderr}`);
};
