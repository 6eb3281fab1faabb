import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { requireFreshNamespace } from "./fresh-namespace.js";
import { requirePlace } from "./place.js";

/** Of the link that leads nowhere and has the stand-in's address. */
const LINK = "drydock-lab0";

/** Not from the environment: programs that change a namespace are the system's. */
const PATH = "/usr/sbin:/usr/bin:/sbin:/bin";

/** A network namespace's identity while it exists: device and inode of nsfs. */
export const namespaceIdentity = (path = "/proc/self/ns/net"): string => {
  const { dev, ino } = statSync(path, { bigint: true });
  return `${dev}:${ino}`;
};

/**
 * Makes a dummy link with these addresses in the network namespace of this process.
 *
 * @param starter identity of the namespace in which this process was started
 * @throws DrydockError LAB_NAMESPACE, LAB_PLACE
 */
export const makeLink = (addresses: readonly string[], starter: string): void => {
  for (const address of addresses) requirePlace({ address, port: 1, name: "link.lab.invalid" });
  const table = readFileSync("/proc/self/net/dev", "latin1");
  requireFreshNamespace({ identity: namespaceIdentity(), table }, starter);
  ip("link", "set", "lo", "up");
  addLink();
  for (const address of addresses) ip("address", "add", `${address}/24`, "dev", LINK);
  ip("link", "set", LINK, "up");
};

/** Not every kernel has dummy links. A bridge without ports leads nowhere as well. */
const addLink = (): void => {
  try {
    ip("link", "add", LINK, "type", "dummy");
  } catch (error) {
    if (!String((error as { stderr?: unknown }).stderr).includes("Unknown device type"))
      throw error;
    ip("link", "add", LINK, "type", "bridge");
  }
};

const ip = (...args: readonly string[]): void => {
  execFileSync("ip", args, { env: { PATH }, stdio: ["ignore", "ignore", "pipe"] });
};
