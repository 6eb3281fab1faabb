import { readFileSync } from "node:fs";
import { DrydockError } from "@drydock/evidence";

/** What a namespace that nobody outside reaches has: the loopback link, and links that lead nowhere. */
const HARMLESS = /^(lo|drydock-lab[0-9]*)$/;

/**
 * A guard: a stand-in serves only in a network namespace with no link to the outside. The machine's
 * own has one; so has that of a container. Links are read from the kernel, of the namespace that
 * this process is in.
 *
 * @param table of /proc/self/net/dev
 * @throws DrydockError LAB_NAMESPACE
 */
export const requireIsolation = (table = readFileSync("/proc/self/net/dev", "latin1")): void => {
  const links = table
    .split("\n")
    .slice(2)
    .map((line) => line.split(":")[0]?.trim() ?? "")
    .filter((name) => name !== "");
  const others = links.filter((name) => !HARMLESS.test(name));
  if (others.length === 0 && links.some((name) => name !== "lo")) return;
  throw new DrydockError(
    "LAB_NAMESPACE",
    others.length === 0
      ? "there is no link here for a stand-in's address"
      : `this network namespace has a link to the outside: ${others.slice(0, 3).join(", ")}`,
    { fix: "start the stand-in with drydock lab appliance, which makes a namespace for it" },
  );
};
