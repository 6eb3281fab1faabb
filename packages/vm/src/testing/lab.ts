import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { fileURLToPath } from "node:url";
import { type Cgroup, type EffectiveLimits, joinFiles } from "../cgroup/index.js";
import { buildKernel } from "../image/build/kernel.js";
import { GUEST_MODULES } from "../image/build/modules.js";
import { openApt } from "../image/deb/apt.js";
import { systemTools } from "../image/tools.js";
import { createUpper, upperDisk } from "../image/upper/disk.js";
import { identifyProcess } from "../jail/process.js";
import { allocateSlot, type Slot } from "../jail/slot.js";
import { createSlotCgroup } from "../jail/slot-cgroup.js";
import { ensureNative } from "../native/ensure.js";
import { type QemuOptions, stopKeepers } from "../qemu/index.js";
import { vmmLimits } from "../qemu/model.js";
import { destroySlot } from "../reap/index.js";
import {
  derivationKey,
  derive,
  digestFile,
  objectPath,
  openStore,
  putBytes,
} from "../store/index.js";
import type { VmImage, VmPlace, VmSpec } from "../vmm.js";

/**
 * What the wall tests share: a real kernel from Debian with the smallest guest of our own, kept in
 * a store of the tests, so that only the first test file ever pays for downloading it.
 */
export interface TestLab {
  readonly options: QemuOptions;
  readonly native: string;
  readonly spec: VmSpec;
  /** Lists who holds golden memory for this test file alone. */
  readonly registry: string;
}

export interface TestPlace extends VmPlace {
  readonly cgroup: Cgroup;
  readonly effective: EffectiveLimits;
  readonly destroy: () => Promise<readonly unknown[]>;
}

interface Ending {
  after(fn: () => unknown): void;
}

const MIB = 1024 * 1024;
const UPPER_BYTES = 64 * MIB;
/** Small, so that golden memory is quick to fill; the real defaults are for real commands. */
const MEMORY_BYTES = 256 * MIB;

const source = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

const testCache = (): string =>
  process.env["DRYDOCK_TEST_CACHE"] ?? join(tmpdir(), "drydock-test-cache");

/** The compiled drydock-native of this source tree. */
export const testNative = (): Promise<string> =>
  ensureNative(openStore(testCache()), systemTools(), source("native/drydock-native.c"));

/** The caller closes it with closeTestLab: a hook made inside a hook would never run. */
export const openTestLab = async (): Promise<TestLab> => {
  const cache = testCache();
  const store = openStore(cache);
  const tools = systemTools();
  const native = await testNative();
  const image = await buildTestImage(cache);
  const upper = await upperDisk(store, tools, UPPER_BYTES);
  const registry = mkdtempSync(join(tmpdir(), "drydock-golden-"));
  return {
    native,
    registry,
    options: {
      native,
      directory: join(cache, "vm"),
      registry,
      createUpper: (path) => createUpper(store, upper, { path, uid: 0, gid: 0 }),
    },
    spec: {
      image,
      vcpus: 1,
      memoryBytes: MEMORY_BYTES,
      upperBytes: UPPER_BYTES,
      start: "snapshot",
      channels: ["drydock.bulk.0", "drydock.bulk.1"],
    },
  };
};

export const closeTestLab = ({ registry }: Pick<TestLab, "registry">): void => {
  stopKeepers(registry);
  rmSync(registry, { recursive: true, force: true });
};

const buildTestImage = async (cache: string): Promise<VmImage> => {
  const store = openStore(cache);
  const tools = systemTools();
  const apt = openApt(store, tools);
  const deb = await apt.kernel();
  const scratch = mkdtempSync(join(tmpdir(), "drydock-guest-"));
  try {
    const init = join(scratch, "init");
    execFileSync("cc", ["-O2", "-static", "-o", init, source("src/testing/guest/init.c")]);
    const key = derivationKey("test-guest", 1, {
      deb: deb.digest,
      init: (await digestFile(init)).digest,
    });
    const { outputs } = await derive(store, key, async () => {
      await apt.fetch([deb], () => undefined);
      return {
        ...(await buildKernel(store, tools, deb, readFileSync(init), GUEST_MODULES)),
        blank: putBytes(store, Buffer.alloc(MIB)),
      };
    });
    const file = (name: string) => {
      const found = outputs[name];
      if (found === undefined) throw new Error(`the test store lacks ${name}`);
      return { path: objectPath(store, found.digest), digest: found.digest };
    };
    return {
      kernel: file("kernel"),
      initrd: file("initrd"),
      agent: file("blank"),
      root: file("blank"),
    };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
};

let places = 0;

/** A slot with a cgroup and an upper disk; the test's end destroys whatever is left of it. */
export const openPlace = async (lab: TestLab, test: Ending): Promise<TestPlace> => {
  const owner = identifyProcess(process.pid);
  if (owner === undefined) throw new Error("/proc doesn't show this process");
  places += 1;
  const run = `test-${process.pid}-${places}`;
  const slot = allocateSlot(run, { ...owner, role: "launcher" });
  const destroy = () => destroySlot(slot);
  test.after(destroy);
  const { vcpus, memoryBytes } = lab.spec;
  const limits = vmmLimits({ accelerator: "tcg", vcpus, memoryBytes });
  const { cgroup, effective } = createSlotCgroup(slot, "", limits);
  return {
    slot,
    cgroup,
    effective,
    cgroups: joinFiles(cgroup),
    upper: await makeUpper(lab, slot),
    destroy,
  };
};

const makeUpper = async (lab: TestLab, slot: Slot): Promise<string> => {
  const path = join(slot.directory, "upper");
  await lab.options.createUpper(path, lab.spec.upperBytes);
  return path;
};

/** Asks the test guest one question; its answer is one line. */
export const ask = (stream: Duplex, question: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = "";
    const read = (chunk: Buffer): void => {
      text += chunk.toString("utf8");
      if (!text.endsWith("\n")) return;
      stream.off("data", read);
      stream.off("close", closed);
      resolve(text.trimEnd());
    };
    const closed = (): void =>
      reject(new Error(`the channel closed before "${question}" was answered`));
    stream.on("data", read);
    stream.once("close", closed);
    stream.write(`${question}\n`);
  });
