import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { digestOfValue, isDrydockError, parseJson, shape } from "@drydock/evidence";
import { vmError } from "../errors.js";
import { writeAtomic } from "../store/index.js";
import { ACCELERATORS, type Accelerator, CPU_MODEL, MACHINE } from "./model.js";

/** An answer holds for this QEMU, this kernel, these processor models, and one boot of the host. */
export interface AcceleratorQuestion {
  readonly bundle: string;
  readonly kernel: string;
  readonly initrd: string;
  readonly hostBootId: string;
}

export interface AcceleratorAnswer {
  readonly accelerator: Accelerator;
  /** Why better ones were not chosen, for `drydock doctor`. */
  readonly rejected: readonly { readonly accelerator: Accelerator; readonly reason: string }[];
}

const answerRecord = shape.object({
  accelerator: shape.oneOf(ACCELERATORS),
  rejected: shape.array(
    shape.object({ accelerator: shape.oneOf(ACCELERATORS), reason: shape.text(2048) }),
    ACCELERATORS.length,
  ),
});

/**
 * The best accelerator that really boots a guest. `/dev/kvm` can exist, open and make a machine,
 * and still never run a stock kernel: only a booted canary counts.
 *
 * @param bootCanary rejects when the canary doesn't come up in time.
 * @throws DrydockError ACCELERATOR_NONE
 */
export const chooseAccelerator = async (
  cacheDirectory: string,
  question: AcceleratorQuestion,
  bootCanary: (accelerator: Accelerator) => Promise<void>,
): Promise<AcceleratorAnswer> => {
  const name = digestOfValue({ ...question, cpuModels: CPU_MODEL, machine: MACHINE }).slice(7);
  const path = join(cacheDirectory, `${name}.json`);
  if (existsSync(path)) {
    return answerRecord.read(parseJson(await readFile(path)), "accelerator");
  }
  const answer = await tryEach(bootCanary);
  await mkdir(cacheDirectory, { recursive: true, mode: 0o700 });
  writeAtomic(path, `${path}.${process.pid}`, JSON.stringify(answer), 0o600);
  return answer;
};

const tryEach = async (
  bootCanary: (accelerator: Accelerator) => Promise<void>,
): Promise<AcceleratorAnswer> => {
  const rejected: { accelerator: Accelerator; reason: string }[] = [];
  for (const accelerator of ACCELERATORS) {
    const absent = accelerator === "kvm" && !existsSync("/dev/kvm");
    try {
      if (absent) throw vmError("ACCELERATOR_NONE", "there is no /dev/kvm");
      await bootCanary(accelerator);
      return { accelerator, rejected };
    } catch (error) {
      if (!isDrydockError(error)) throw error;
      rejected.push({ accelerator, reason: error.message.slice(0, 2048) });
    }
  }
  throw vmError(
    "ACCELERATOR_NONE",
    `no accelerator boots a guest: ${rejected.map(({ accelerator, reason }) => `${accelerator}: ${reason}`).join("; ")}`,
    { fix: "Build the image again, and run `drydock doctor`." },
  );
};
