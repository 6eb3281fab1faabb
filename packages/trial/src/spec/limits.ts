import { isDrydockError } from "@drydock/evidence";
import * as z from "zod/mini";
import { DURATION_PATTERN, formatDuration, parseDuration } from "./duration.js";
import { formatSize, parseSize, SIZE_PATTERN } from "./size.js";

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

interface Range {
  readonly default: number;
  readonly min: number;
  readonly max: number;
}

/**
 * The bounds of a run. The maxima aren't what is wise but what the formats, the VMM or the host
 * can still honour; the ledger's ceiling decides what this machine has.
 */
export const LIMIT_RANGES = {
  cpus: { default: 1, min: 1, max: 32 },
  /** Less than 128 MiB doesn't boot the kernel with Node in the agent. */
  memoryBytes: { default: GIB, min: 128 * MIB, max: 256 * GIB },
  /** The sparse upper disk; mkfs needs some MiB to begin with. */
  diskBytes: { default: 8 * GIB, min: 16 * MIB, max: 1024 * GIB },
  wallMs: { default: 600_000, min: 1_000, max: 24 * 3_600_000 },
  idleMs: { default: 60_000, min: 100, max: 24 * 3_600_000 },
  consoleBytes: { default: 8 * MIB, min: 4096, max: 64 * MIB },
  /** Of stdout and stderr together. */
  outputBytes: { default: 64 * MIB, min: 0, max: 16 * GIB },
  artifactCount: { default: 256, min: 0, max: 65_536 },
  artifactBytes: { default: 64 * MIB, min: 0, max: 16 * GIB },
  artifactDepth: { default: 32, min: 1, max: 256 },
  /** One broker a run; a policy brings it. */
  networkChannels: { default: 0, min: 0, max: 1 },
  guestPids: { default: 128, min: 8, max: 32_768 },
  guestFds: { default: 512, min: 32, max: 1_048_576 },
} as const satisfies Record<string, Range>;

/** Everything in bytes, milliseconds or counts, as the manifest has it. */
export interface RunLimits
  extends Readonly<Record<Exclude<keyof typeof LIMIT_RANGES, "idleMs">, number>> {
  /** Null when there is no idle deadline. */
  readonly idleMs: number | null;
}

const count = (name: keyof typeof LIMIT_RANGES) => {
  const { default: usual, min, max } = LIMIT_RANGES[name];
  const error = `is not a whole number from ${min} to ${max}`;
  return z._default(z.int({ error }).check(z.minimum(min, error), z.maximum(max, error)), usual);
};

/** Parses text in a user's unit, then checks the range and says it in that unit. */
const measured = (
  name: keyof typeof LIMIT_RANGES,
  pattern: RegExp,
  parse: (text: string) => number,
  format: (value: number) => string,
) => {
  const { default: usual, min, max } = LIMIT_RANGES[name];
  return z.pipe(
    z.string().check(z.meta({ pattern: pattern.source, examples: [format(usual)] })),
    z.transform((text, context) => {
      try {
        const value = parse(text);
        if (value >= min && value <= max) return value;
        const message = `${text} is outside ${format(min)} to ${format(max)}`;
        context.issues.push({ code: "custom", message, input: text });
      } catch (error) {
        if (!isDrydockError(error)) throw error;
        const message = `${error.message}. ${error.fix ?? ""}`.trim();
        context.issues.push({ code: "custom", message, input: text });
      }
      return z.NEVER;
    }),
  );
};

const size = (name: keyof typeof LIMIT_RANGES) =>
  z._default(measured(name, SIZE_PATTERN, parseSize, formatSize), LIMIT_RANGES[name].default);

const duration = (name: keyof typeof LIMIT_RANGES) =>
  measured(name, DURATION_PATTERN, parseDuration, formatDuration);

/** What a user may write under `limits:`, with what holds when it isn't there. */
export const limitsSchema = z.pipe(
  z.strictObject({
    cpus: count("cpus").check(z.describe("Virtual processors.")),
    memory: size("memoryBytes").check(z.describe("Memory of the guest.")),
    disk: size("diskBytes").check(
      z.describe("Upper layer over the image, allocated as it is written."),
    ),
    wall: z
      ._default(duration("wallMs"), LIMIT_RANGES.wallMs.default)
      .check(z.describe("Time from boot to the end of collecting.")),
    idle: z
      ._default(
        z.union(
          [
            z.pipe(
              z.literal("off"),
              z.transform(() => null),
            ),
            z.pipe(
              z.literal("on"),
              z.transform(() => LIMIT_RANGES.idleMs.default),
            ),
            duration("idleMs"),
          ],
          {
            error: `is not "off", "on" or a duration from ${formatDuration(LIMIT_RANGES.idleMs.min)} to ${formatDuration(LIMIT_RANGES.idleMs.max)}, such as 90s`,
          },
        ),
        null,
      )
      .check(z.describe('Longest silence of the guest: a duration, "on" for 60s, or "off".')),
    console: size("consoleBytes").check(z.describe("Ring that keeps the end of the console.")),
    output: size("outputBytes").check(z.describe("Kept of stdout and stderr together.")),
    artifacts: count("artifactCount").check(z.describe("Files that may be collected.")),
    artifactSize: size("artifactBytes").check(z.describe("All collected files together.")),
    artifactDepth: count("artifactDepth").check(z.describe("Names in a collected path.")),
    networkChannels: count("networkChannels").check(z.describe("Brokered channels to a network.")),
    guestPids: count("guestPids").check(z.describe("Set inside the guest; no wall rests on it.")),
    guestFds: count("guestFds").check(z.describe("Set inside the guest; no wall rests on it.")),
  }),
  z.transform(
    (limits): RunLimits => ({
      cpus: limits.cpus,
      memoryBytes: limits.memory,
      diskBytes: limits.disk,
      wallMs: limits.wall,
      idleMs: limits.idle,
      consoleBytes: limits.console,
      outputBytes: limits.output,
      artifactCount: limits.artifacts,
      artifactBytes: limits.artifactSize,
      artifactDepth: limits.artifactDepth,
      networkChannels: limits.networkChannels,
      guestPids: limits.guestPids,
      guestFds: limits.guestFds,
    }),
  ),
);
