import { existsSync, rmSync } from "node:fs";
import type { Socket } from "node:net";
import { destroySlot, readOwner, type Slot } from "@drydock/vm";
import type { RunLayout, StateLayout } from "../home/index.js";
import { giveUpRun, handOver } from "../recovery/index.js";
import type { Helpers } from "./helpers.js";
import type { Lines } from "./lines.js";
import { closedSocket, type Finished, lostAfterwards } from "./lost.js";
import type { RunMachine } from "./machine.js";

export interface RunPlaces {
  readonly slot: Slot;
  readonly state: StateLayout;
  readonly layout: RunLayout;
  readonly scratch: string;
  readonly lines: Lines;
}

/** Nothing is left for the reaper to do, so a stopped one is waited for no longer than an answer takes. */
const GOODBYE_MS = 5_000;

/** How a run goes, whichever way it ends: what there is of it so far is removed, and nothing else. */
export class RunEnd {
  /** Null until they have come into being. */
  machine: RunMachine | null = null;
  helpers: Helpers | null = null;
  reaper: Socket | null = null;
  readonly #slot: Slot;
  readonly #state: StateLayout;
  readonly #layout: RunLayout;
  readonly #scratch: string;
  readonly #lines: Lines;

  constructor({ slot, state, layout, scratch, lines }: RunPlaces) {
    this.#slot = slot;
    this.#state = state;
    this.#layout = layout;
    this.#scratch = scratch;
    this.#lines = lines;
  }

  discardEvidence(): void {
    rmSync(this.#layout.directory, { recursive: true, force: true });
  }

  /** Removes what is left of the run on this machine, and gives its evidence to the user. */
  async clear(): Promise<void> {
    this.machine?.release();
    await this.helpers?.controllerEnded();
    rmSync(this.#scratch, { recursive: true, force: true });
    const leftovers = await destroySlot(this.#slot);
    if (existsSync(this.#layout.directory)) handOver(this.#layout.directory, 0, 0);
    // What this process can't remove stays the reaper's: its line closes without a good-bye.
    if (leftovers.length === 0) {
      this.reaper?.write("Q\n");
      await closedSocket(this.reaper, GOODBYE_MS);
    }
    this.#lines.close();
  }

  /** What there is to say of a run whose controller died: nothing, unless it had said it already. */
  async lost(said: Finished): Promise<Finished> {
    await this.leaveToReaper();
    const gone = readOwner(this.#slot)?.run !== this.#slot.run;
    return gone && existsSync(this.#layout.directory)
      ? lostAfterwards(said, this.#layout.directory, this.#state, new Date())
      : said;
  }

  /**
   * The controller is gone: the reaper has seen the same and takes it from here. Its line closes
   * when it is done, or dead: then this process does the same itself.
   */
  async leaveToReaper(): Promise<void> {
    this.machine?.release();
    // The reaper's own ends are held here as well until both lines are handed over.
    this.#lines.close(this.reaper);
    await closedSocket(this.reaper);
    this.reaper?.destroy();
    if (readOwner(this.#slot)?.run !== this.#slot.run) return;
    rmSync(this.#scratch, { recursive: true, force: true });
    const leftovers = await destroySlot(this.#slot);
    await giveUpRun(this.#state, {
      run: this.#slot.run,
      reason: "OWNER_GONE",
      bodyGone: leftovers.length === 0,
      by: "launcher",
      at: new Date(),
    });
  }
}
