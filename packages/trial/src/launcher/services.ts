import { rmSync } from "node:fs";
import { basename } from "node:path";
import { emptySlot, type resolveImage, type Slot } from "@drydock/vm";
import type { LAUNCHER } from "../contract/index.js";
import type { RunLayout } from "../home/index.js";
import type { Handlers } from "../link/index.js";
import { describeNote } from "../seal/index.js";
import type { Helpers } from "./helpers.js";
import { type RunMachine, sealedMachine } from "./machine.js";
import type { LaunchOptions } from "./options.js";
import { helperLimits } from "./process-group.js";
import { discardArtifacts, handIn } from "./run-directory.js";
import type { SealedInput } from "./sealing.js";

/** What the controller tells the launcher, instead of asking for something. */
type Telling = "phase" | "ready" | "exited" | "finished";

export interface ServiceParts {
  readonly options: LaunchOptions;
  readonly slot: Slot;
  readonly native: string;
  readonly layout: RunLayout;
  readonly scratch: string;
  /** Directory in which the port process finds the sealed source. */
  readonly staging: string;
  readonly image: Awaited<ReturnType<typeof resolveImage>>;
  readonly machine: RunMachine;
  readonly prepared: ReturnType<RunMachine["prepare"]>;
  readonly nodeDigest: Promise<string>;
  readonly helpers: Helpers;
}

/** What this process does for the controller, because only root can. */
export const launcherServices = ({
  options,
  slot,
  native,
  layout,
  scratch,
  staging,
  image,
  machine,
  prepared,
  nodeDigest,
  helpers,
}: ServiceParts): Omit<Handlers<typeof LAUNCHER>, Telling> => {
  let sealed: SealedInput | null = null;
  return {
    seal: async () => {
      const { source, program } = options;
      if (source !== null) {
        // Loaded when it is needed: a run without a source doesn't wait for git's rules.
        const { sealInput } = await import("./sealing.js");
        sealed = await sealInput(source, scratch, native);
      }
      for (const note of sealed?.source.notes ?? []) options.onNote?.(describeNote(note));
      const plan = await prepared;
      const { digests } = image;
      return {
        source: sealed?.source ?? null,
        canonical: sealed?.canonical ?? null,
        image: {
          name: image.name,
          digest: image.digest,
          kernel: digests.kernel,
          initrd: digests.initrd,
          root: digests.root,
          agent: digests.agent,
        },
        ...sealedMachine(plan),
        helpers: helperLimits(options.spec.limits),
        machine: plan.topology,
        build: {
          version: program.version,
          drydock: program.digest(),
          // The store names what it holds by digest.
          native: `sha256:${basename(native)}`,
          node: { version: process.version, digest: await nodeDigest },
        },
      };
    },
    createSlot: () => {
      machine.createCgroup();
      return null;
    },
    stage: async () => {
      const bytes = await machine.createUpper();
      const archive = sealed?.source.archive;
      if (archive !== undefined) await handIn(archive.path, staging, slot);
      return { bytes: bytes + (archive?.bytes ?? 0) };
    },
    spawn: () => machine.spawn(),
    observe: () => {
      const { observed, differences } = machine.observe();
      return { observed, differences: [...differences, ...helpers.differences()] };
    },
    usage: () => machine.usage(),
    kill: () => machine.kill(),
    destroy: async ({ artifacts }) => {
      machine.release();
      rmSync(scratch, { recursive: true, force: true });
      const leftovers = await emptySlot(slot, helpers.spared);
      if (artifacts === "discard") discardArtifacts(layout);
      return { leftovers: leftovers.map(({ kind, what }) => `${kind} ${what}`) };
    },
    canonical: () => sealed?.lookAgain() ?? { after: null, comparison: null },
  };
};
