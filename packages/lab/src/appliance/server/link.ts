import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { DrydockError } from "@drydock/evidence";
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
 * A guard: makes a dummy link with these addresses in the network namespace of this process, unless
 * that is the one that whoever started it is in, or has a link already.
 *
 * @param starter identity of the namespace in which this process was started
 * @throws DrydockError LAB_NAMESPACE
 */
export const makeLink = (addresses: readonly string[], starter: string): void => {
  for (const address of addresses) requirePlace({ address, port: 1, name: "link.lab.invalid" });
  if (namespaceIdentity() === starter) {
    throw new DrydockError("LAB_NAMESPACE", "this is the network namespace of who started this", {
      fix: "start it in one of its own, as drydock lab appliance does",
    });
  }
  const links = readFileSync("/proc/self/net/dev", "latin1").split("\n").slice(2);
  if (links.some((line) => line !== "" && !/^\s*lo:/.test(line))) {
    throw new DrydockError("LAB_NAMESPACE", "this network namespace has links already", {
      fix: "start it in a new one, as drydock lab appliance does",
    });
  }
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
