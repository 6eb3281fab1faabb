import { Transform } from "node:stream";
import type { See } from "./sentry.js";

/** What all commands of a run may write together; beyond it bytes are counted and dropped. */
export class OutputBudget {
  #left: number;
  #kept = 0;
  #dropped = 0;

  constructor(limit: number) {
    this.#left = limit;
  }

  get kept(): number {
    return this.#kept;
  }

  get dropped(): number {
    return this.#dropped;
  }

  /** The command goes on writing, so that it can end; only what is kept of it is bounded. */
  cutter(see: See): Cutter {
    return new Cutter((length) => {
      const taken = Math.min(length, this.#left);
      this.#left -= taken;
      this.#kept += taken;
      this.#dropped += length - taken;
      return taken;
    }, see);
  }
}

export class Cutter extends Transform {
  readonly #take: (length: number) => number;
  readonly #see: See;
  kept = 0;
  dropped = 0;

  /** @param see gets all bytes, those that are dropped as well */
  constructor(take: (length: number) => number, see: See) {
    super();
    this.#take = take;
    this.#see = see;
  }

  override _transform(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#see(chunk);
    const taken = this.#take(chunk.length);
    this.kept += taken;
    this.dropped += chunk.length - taken;
    if (taken > 0) this.push(chunk.subarray(0, taken));
    done();
  }
}
