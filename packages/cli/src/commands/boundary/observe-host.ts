import { existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import {
  observeForwards,
  observeHost,
  openNamespace,
  parseAppliancePolicy,
  parseBinding,
  requireReleasedPolicy,
} from "@drydock/boundary";
import { isDrydockError, readNamedFile, signingKeyFromPem } from "@drydock/evidence";
import { locateProber } from "../../program.js";
import { createProgress } from "../../terminal/progress.js";
import { visible } from "../../terminal/sanitise.js";
import { chooseStyle } from "../../terminal/style.js";
import { usage } from "../usage.js";
import { handleOf } from "./appliance.js";
import { listenForInterruption } from "./interruption.js";
import { replaceFile, requireReplaceable } from "./replace-file.js";
import { type ReleaseFlags, readRelease } from "./wanted.js";

export interface ObserveHostFlags extends ReleaseFlags {
  readonly policy: string;
  readonly binding: string;
  readonly observerKey: string;
  readonly namespace?: string;
  readonly pid?: string;
  readonly output?: string;
  readonly every?: string;
}

const MAX_PERIOD_SECONDS = 3_600;

/** `drydock boundary observe-host`: what somebody outside of the appliance sees of it, signed. */
export const boundaryObserveHost = async (flags: ObserveHostFlags): Promise<number> => {
  const release = readRelease(flags);
  const policy = parseAppliancePolicy(readNamedFile(flags.policy), { file: flags.policy });
  requireReleasedPolicy(policy, release);
  const key = signingKeyFromPem(readNamedFile(flags.observerKey).toString("latin1"));
  const appliance = handleOf(flags);
  const period = periodOf(flags);
  if (flags.output !== undefined) requireReplaceable(flags.output);
  const look = async (): Promise<Buffer> => {
    // Each launch has its own, and an observer outlives it.
    const { launch } = parseBinding(readNamedFile(flags.binding), { file: flags.binding });
    const now = Date.now();
    using namespace = openNamespace(appliance);
    const mappings = appliance.kind === "netns" ? await observeForwards(namespace) : [];
    const about = { launch, policy, payloadDigest: release.payloadDigest, mappings, now };
    return observeHost({ appliance, ...about, program: locateProber() }, key);
  };
  if (period === null) {
    leave(flags.output, await look());
    return 0;
  }
  using interruption = listenForInterruption();
  const { signal } = interruption;
  const progress = createProgress(
    process.stderr,
    chooseStyle(process.stderr.isTTY === true, process.env),
  );
  while (!signal.aborted) {
    // What was seen last grows old by itself.
    const said = await look().then(
      (bytes) => {
        leave(flags.output, bytes);
        return "looking";
      },
      (error: unknown) => (isUnbound(flags) ? WAITING : reasonOf(error)),
    );
    progress.step(visible(said));
    await pause(period, undefined, { signal }).catch(() => undefined);
  }
  progress.clear();
  return 0;
};

/** Between two launches there is nothing to look at: an apply withdraws its binding, and leaves one. */
const isUnbound = ({ binding }: Pick<ObserveHostFlags, "binding">): boolean => !existsSync(binding);
const WAITING = "waiting for a launch to be bound";

const reasonOf = (error: unknown): string => {
  if (isDrydockError(error)) return `${error.code}: ${error.message}`;
  throw error;
};

/** In milliseconds; null: once. */
const periodOf = ({ every, output }: ObserveHostFlags): number | null => {
  if (every === undefined) return null;
  const seconds = /^[1-9][0-9]{0,3}$/.test(every) ? Number(every) : 0;
  if (seconds === 0 || seconds > MAX_PERIOD_SECONDS)
    throw usage("--every is no number of seconds", `Give 1 to ${MAX_PERIOD_SECONDS}.`);
  if (output === undefined)
    throw usage("--every has to write somewhere", "Give --output, which is replaced each time.");
  return seconds * 1_000;
};

/** Nobody reads half of one. */
const leave = (file: string | undefined, bytes: Buffer): void => {
  if (file === undefined) {
    process.stdout.write(bytes);
    return;
  }
  replaceFile(file, bytes);
};
