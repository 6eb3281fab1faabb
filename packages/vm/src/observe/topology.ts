import type { EffectiveLimits } from "../cgroup/limits.js";
import type { FileIdentity, KernelObservation } from "./kernel.js";
import type { MountFact } from "./parse.js";
import type { VmmObservation } from "./vmm.js";

/** A device that the command line asks for. */
export interface SealedDevice {
  readonly id: string;
  readonly driver: string;
  /** Bus owner; null for the machine itself. */
  readonly parent: string | null;
}

/** What a run may look like. Everything here is known before the VMM starts. */
export interface SealedTopology {
  /** Exactly these from boot on, sorted by id. */
  readonly devices: readonly SealedDevice[];
  /** May exist besides, once their channel is granted. */
  readonly grantable: readonly SealedDevice[];
  readonly disks: readonly { readonly device: string; readonly readOnly: boolean }[];
  /** Host ends, sorted; those of revoked channels may be missing. */
  readonly chardevs: readonly string[];
  readonly kvm: boolean;
  /** All objects without the grantable ones; null when no golden machine was there to record it. */
  readonly treeDigest: string | null;
  readonly process: {
    readonly interfaces: readonly string[];
    /** Namespaces that must not be the host's. */
    readonly namespaces: readonly string[];
    readonly capabilities: readonly string[];
    readonly seccomp: number;
    readonly noNewPrivileges: boolean;
    readonly mounts: readonly MountFact[];
  };
}

/** The part of the sealed picture that belongs to the slot, not to the experiment. */
export interface SealedPlace {
  readonly uid: number;
  readonly gid: number;
  readonly executable: FileIdentity;
  /** Files that the process may hold; anything else that is a file is a difference. */
  readonly files: readonly (FileIdentity & { readonly writable: boolean })[];
  readonly limits: EffectiveLimits;
  /** Directories of the run's cgroup that the process has to be in. */
  readonly missingMemberships: readonly string[];
}

export type Comparison =
  | { readonly kind: "match" }
  | { readonly kind: "mismatch"; readonly differences: readonly string[] };

/** KERNEL facts against the sealed topology: what a claim about escape may rest on. */
export const compareKernel = (
  sealed: SealedTopology,
  place: SealedPlace,
  observed: KernelObservation,
  effective: EffectiveLimits,
): Comparison => {
  const { process } = sealed;
  const { status } = observed;
  const found = new Differences();
  found.equal("interfaces", process.interfaces, observed.interfaces);
  for (const name of process.namespaces) {
    const separate = observed.namespaces.find((one) => one.name === name)?.separate;
    found.equal(`namespace ${name} separate`, true, separate ?? false);
  }
  found.equal("mounts", process.mounts, describeLike(process.mounts, observed.mounts));
  found.equal("uids", same(place.uid), status.uids);
  found.equal("gids", same(place.gid), status.gids);
  found.equal(
    "supplementary groups",
    [],
    status.groups.filter((group) => group !== place.gid),
  );
  found.equal("capabilities", process.capabilities, status.capabilities);
  found.equal("seccomp", process.seccomp, status.seccomp);
  found.equal("no_new_privs", process.noNewPrivileges, status.noNewPrivileges);
  found.equal("core limit", 0, observed.limits.coreBytes);
  found.equal("executable", place.executable, observed.executable);
  found.equal("cgroup membership missing", [], place.missingMemberships);
  found.equal("effective limits", place.limits, effective);
  for (const descriptor of observed.descriptors) {
    if (!isAllowed(descriptor, place, sealed)) found.add(`descriptor ${text(descriptor)}`);
  }
  return found.comparison();
};

/** VMM facts against the sealed topology: sound until an escape, and labelled VMM for that. */
export const compareVmm = (sealed: SealedTopology, observed: VmmObservation): Comparison => {
  const found = new Differences();
  const optional = new Set(sealed.grantable.map(({ id }) => `${PERIPHERAL}${id}`));
  const peripherals = observed.devices.filter(({ path }) => isPeripheral(path));
  const typeOf = new Map(peripherals.map(({ path, type }) => [path, type]));
  for (const { id, driver } of sealed.devices) {
    const type = typeOf.get(`${PERIPHERAL}${id}`);
    if (type === undefined && isRevokedPort(id, sealed, observed)) continue;
    found.equal(`device ${id}`, driver, type ?? "absent");
  }
  const known = new Set(sealed.devices.map(({ id }) => `${PERIPHERAL}${id}`));
  for (const { path, type } of peripherals) {
    if (!known.has(path) && !optional.has(path))
      found.add(`device ${path} (${type}) is not sealed`);
  }
  for (const { id, driver } of sealed.grantable) {
    const type = typeOf.get(`${PERIPHERAL}${id}`);
    if (type !== undefined) found.equal(`device ${id}`, driver, type);
  }
  for (const { path, type } of observed.devices) {
    if (path.startsWith(ANONYMOUS)) found.add(`device ${path} (${type}) is not sealed`);
  }
  found.equal("disks", sealed.disks, observed.disks);
  for (const label of observed.chardevs) {
    if (!sealed.chardevs.includes(label)) found.add(`host end ${label} is not sealed`);
  }
  found.equal("network cards", [], observed.nics);
  found.equal("kvm", sealed.kvm, observed.kvm);
  return found.comparison();
};

/** The tree without what may come and go, so that two observations can be compared by digest. */
export const fixedDevices = (
  sealed: SealedTopology,
  observed: VmmObservation,
): VmmObservation["devices"] => {
  const optional = sealed.grantable.map(({ id }) => `${PERIPHERAL}${id}`);
  return observed.devices.filter(
    ({ path }) => !optional.some((prefix) => path === prefix || path.startsWith(`${prefix}/`)),
  );
};

/**
 * The file system behind a bind mount is the host's choice, not the experiment's: where `bind` is
 * sealed, any type of that mount is written as `bind`.
 */
const describeLike = (
  sealed: readonly MountFact[],
  observed: readonly MountFact[],
): readonly MountFact[] =>
  observed.map((mount) =>
    sealed.some(({ target, type }) => target === mount.target && type === "bind")
      ? { ...mount, type: "bind" }
      : mount,
  );

const PERIPHERAL = "/machine/peripheral/";
const ANONYMOUS = "/machine/peripheral-anon/";

/**
 * A revoked channel has lost both its ends: port `port-x` in the guest, `char-x` on the host. A port
 * that is gone while its host end is still there was taken by somebody else.
 */
const isRevokedPort = (id: string, sealed: SealedTopology, observed: VmmObservation): boolean => {
  const hostEnd = id.replace(/^port-/, "char-");
  return sealed.chardevs.includes(hostEnd) && !observed.chardevs.includes(hostEnd);
};

const isPeripheral = (path: string): boolean =>
  path.startsWith(PERIPHERAL) && !path.slice(PERIPHERAL.length).includes("/");

const isAllowed = (
  { kind, file, writable }: KernelObservation["descriptors"][number],
  place: SealedPlace,
  sealed: SealedTopology,
): boolean => {
  switch (kind) {
    case "socket":
    case "pipe":
    case "event":
    case "device":
      return true;
    case "kvm":
      return sealed.kvm;
    case "memory":
    case "file":
      return place.files.some(
        (known) =>
          known.device === file?.device &&
          known.inode === file.inode &&
          (known.writable || !writable),
      );
    case "other":
      return false;
  }
};

const same = (id: number): readonly number[] => [id, id, id, id];
const text = (value: unknown): string => JSON.stringify(value);

class Differences {
  readonly #found: string[] = [];

  add(what: string): void {
    this.#found.push(what);
  }

  equal(what: string, sealed: unknown, observed: unknown): void {
    if (text(sealed) !== text(observed)) {
      this.add(`${what}: sealed ${text(sealed)}, observed ${text(observed)}`);
    }
  }

  comparison(): Comparison {
    return this.#found.length === 0
      ? { kind: "match" }
      : { kind: "mismatch", differences: this.#found };
  }
}
