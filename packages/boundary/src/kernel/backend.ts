import { readFile } from "node:fs/promises";
import { DrydockError, isDrydockError } from "@drydock/evidence";
import * as z from "zod/mini";
import type { BoundaryCode } from "../codes.js";
import { parseIpAnswer, parseLinks } from "../engine/index.js";
import { formatIpv4, type Ipv4, parseIpv4 } from "../model/index.js";
import {
  applyRuleset,
  type ChangeableNamespace,
  deleteOwned,
  listAll,
  type NetworkNamespace,
  openNamespace,
  probeRealisation,
  readSettings,
  startTimeOf,
  writeSettings,
} from "../nft/index.js";
import { inside } from "../nft/inside.js";
import type { KernelBackend } from "../realise/index.js";

const routesAnswer = z.array(z.object({ dst: z.string(), gateway: z.optional(z.string()) }));

/** nft, ip and the settings of one network namespace, and of the containers' that are behind it. */
export const createKernelBackend = (namespace: ChangeableNamespace): KernelBackend => ({
  bootId: async () => (await readFile("/proc/sys/kernel/random/boot_id", "utf8")).trim(),
  links: () => linksIn(namespace),
  linksOf: async (pid) => {
    try {
      return await withProcess(namespace, pid, linksIn);
    } catch (error) {
      // It ended between the engine's answer and this question.
      if (isDrydockError(error) && error.code === "NAMESPACE_GONE") return null;
      throw error;
    }
  },
  realisation: async () => {
    const probed = await probeRealisation(namespace);
    if (probed.kind !== "refuses") return probed.kind;
    throw new DrydockError<BoundaryCode>("REALISATION_MISSING", probed.why, {
      fix: "Use a kernel with bridge conntrack or br_netfilter, such as Debian's.",
    });
  },
  listing: () => listAll(namespace),
  settings: (names) => readSettings(namespace, names),
  writeSetting: (setting) => writeSettings(namespace, [setting]),
  load: async (ruleset, beside) => void (await applyRuleset(namespace, ruleset, beside)),
  deleteTables: async (owner) => void (await deleteOwned(namespace, owner)),
  defaultRouteOf: (pid) => withProcess(namespace, pid, defaultRouteIn),
  setDefaultRoute: (pid, gateway) =>
    withProcess(namespace, pid, async (container) => {
      await inside(container, "ip", ["route", "replace", "default", "via", formatIpv4(gateway)]);
    }),
});

const linksIn = async (namespace: NetworkNamespace) =>
  parseLinks((await inside(namespace, "ip", ["-json", "address"])).toString("utf8"));

const defaultRouteIn = async (namespace: NetworkNamespace): Promise<Ipv4 | null> => {
  const text = await inside(namespace, "ip", ["-json", "route", "show", "default"]);
  const routes = parseIpAnswer(text.toString("utf8"), routesAnswer);
  return routes.length === 1 ? parseIpv4(routes[0]?.gateway ?? "") : null;
};

const withProcess = async <T>(
  { toolDirectories }: NetworkNamespace,
  pid: number,
  use: (namespace: NetworkNamespace) => Promise<T>,
): Promise<T> => {
  const startTime = startTimeOf(pid);
  if (startTime === null) {
    throw new DrydockError<BoundaryCode>("NAMESPACE_GONE", `process ${pid} has ended`);
  }
  using container = openNamespace({ kind: "pid", pid, startTime }, toolDirectories);
  return await use(container);
};
