import { spawnSync } from "node:child_process";
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readFileSync,
  statfsSync,
} from "node:fs";
import { isDrydockError } from "@drydock/evidence";
import { type Controller, detectHierarchies } from "../cgroup/index.js";
import { findBinary, findFirmware } from "../qemu/bundle.js";

/** One thing that this machine can or can't do. */
export interface Probe {
  readonly id: string;
  readonly ok: boolean;
  /** What was found, as one line. */
  readonly detail: string;
  /** What to do about it; null when there is nothing to do. */
  readonly fix: string | null;
  /** Without this no run starts; otherwise a run is slower or proves less. */
  readonly required: boolean;
}

export interface ProbeOptions {
  /** The compiled `drydock-native`, or null where it can't be built yet. */
  readonly native: string | null;
  /** Where images and snapshots are kept. */
  readonly directory: string;
}

/** An image, its golden snapshot and one run with a small disk. */
const WANTED_FREE_BYTES = 2 * 1024 ** 3;
const TOOLS: readonly (readonly [tool: string, debianPackage: string])[] = [
  ["cc", "gcc libc6-dev"],
  ["dpkg-deb", "dpkg"],
  ["apt-get", "apt"],
  ["mke2fs", "e2fsprogs"],
  ["git", "git"],
  ["ldd", "libc-bin"],
];

/** What a run needs of this machine, each line tried rather than assumed. */
export const doctorProbes = (options: ProbeOptions): readonly Probe[] => [
  probeRoot(),
  probeFound("vmm", () => `QEMU at ${findBinary()}`),
  probeFound("firmware", () => `firmware at ${findFirmware("bios-microvm.bin")}`),
  probeKvm(),
  ...(["memory", "pids", "cpu"] as const).map((controller) => probeController(controller, true)),
  probeController("io", false),
  probeSwap(),
  ...probeNative(options.native),
  probeSpace(options.directory),
  ...TOOLS.map(([tool, debianPackage]) => probeTool(tool, debianPackage)),
];

const required = (id: string, ok: boolean, detail: string, fix: string): Probe => ({
  id,
  ok,
  detail,
  fix: ok ? null : fix,
  required: true,
});

const optional = (id: string, ok: boolean, detail: string, fix: string): Probe => ({
  ...required(id, ok, detail, fix),
  required: false,
});

const probeRoot = (): Probe =>
  required(
    "root",
    process.geteuid?.() === 0,
    `effective uid ${process.geteuid?.() ?? "unknown"}`,
    "Run as root: namespaces, uids and cgroups of a run need it.",
  );

const probeFound = (id: string, find: () => string): Probe => {
  try {
    return required(id, true, find(), "");
  } catch (error) {
    if (!isDrydockError(error)) throw error;
    return required(id, false, error.message, error.fix ?? "");
  }
};

/** Only says what the node is: whether it runs a guest is found by booting one. */
const probeKvm = (): Probe => {
  const fix = "Without KVM guests are emulated: they run, several times slower.";
  if (!existsSync("/dev/kvm")) return optional("kvm", false, "there is no /dev/kvm", fix);
  try {
    closeSync(openSync("/dev/kvm", constants.O_RDWR));
    const detail = "/dev/kvm opens; the first run boots a canary to see whether it works";
    return optional("kvm", true, detail, fix);
  } catch (error) {
    return optional("kvm", false, `/dev/kvm can't be opened: ${(error as Error).message}`, fix);
  }
};

const probeController = (controller: Controller, needed: boolean): Probe => {
  const found = detectHierarchies()[controller];
  const detail =
    found === undefined
      ? `no cgroup controller "${controller}"`
      : `cgroup version ${found.version} at ${found.current}`;
  const fix = `Enable the cgroup controller "${controller}" (kernel command line, or Delegate=yes of the systemd unit).`;
  return (needed ? required : optional)(`cgroup-${controller}`, found !== undefined, detail, fix);
};

const probeSwap = (): Probe => {
  const devices = readFileSync("/proc/swaps", "utf8").trim().split("\n").length - 1;
  return optional(
    "swap",
    devices === 0,
    devices === 0 ? "no swap" : `${devices} swap devices: guest memory could reach a disk`,
    "Turn swap off, or encrypt it. A run's cgroup forbids its own swapping where it can.",
  );
};

const probeNative = (native: string | null): readonly Probe[] => {
  if (native === null) {
    const fix = "Run `drydock image build`, which compiles it; it needs gcc and libc6-dev.";
    return [required("native", false, "drydock-native isn't compiled yet", fix)];
  }
  return [
    runNative(native, "namespaces", ["--unshare", "mnt,net,ipc,uts"]),
    runNative(native, "credentials", ["--uid", "1900000000", "--gid", "1900000000"]),
    probeSealing(native),
    probeSeccomp(),
  ];
};

const runNative = (native: string, id: string, options: readonly string[]): Probe => {
  const { status, stderr } = spawnSync(native, ["run", ...options, "--", "/bin/true"], {
    encoding: "utf8",
    env: {},
  });
  const fix = "Run as root on the host itself, not in a container without these rights.";
  return required(id, status === 0, status === 0 ? "works" : stderr.trim().slice(0, 200), fix);
};

/** Without a registry the keeper leaves by itself, right after it has sealed its page. */
const probeSealing = (native: string): Probe => {
  const { stdout } = spawnSync(native, ["keep", "4096", "/nonexistent/drydock", "0"], {
    encoding: "utf8",
    input: "seal\n",
    timeout: 5000,
    env: {},
  });
  const ok = /^memory \d+\nsealed\n$/.test(stdout);
  return required(
    "sealed-memory",
    ok,
    ok ? "works" : "memfd can't be sealed",
    "Use Linux 5.10 or newer.",
  );
};

const probeSeccomp = (): Probe => {
  const path = "/proc/sys/kernel/seccomp/actions_avail";
  const actions = existsSync(path) ? readFileSync(path, "utf8").trim() : "";
  const fix = "Use a kernel with CONFIG_SECCOMP_FILTER.";
  return required(
    "seccomp",
    actions.includes("kill_process"),
    actions || "no seccomp filters",
    fix,
  );
};

const probeSpace = (directory: string): Probe => {
  const existing = existsSync(directory) ? directory : "/";
  const { bavail, bsize } = statfsSync(existing);
  const free = bavail * bsize;
  return required(
    "space",
    free >= WANTED_FREE_BYTES,
    `${Math.floor(free / 1024 ** 2)} MiB free at ${existing}`,
    "Free at least 2 GiB, or point DRYDOCK_HOME at a larger disk.",
  );
};

const probeTool = (tool: string, debianPackage: string): Probe => {
  const found = ["/usr/sbin", "/usr/bin", "/sbin", "/bin"]
    .map((directory) => `${directory}/${tool}`)
    .find(isExecutable);
  return required(
    `tool-${tool}`,
    found !== undefined,
    found ?? "not found",
    `apt-get install ${debianPackage}`,
  );
};

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // Whatever the reason, it can't be executed, and the caller looks elsewhere.
    return false;
  }
};
