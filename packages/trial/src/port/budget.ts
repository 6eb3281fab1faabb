import { Transform } from "node:stream";

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
  cutter(): Cutter {
    return new Cutter((length) => {
      const taken = Math.min(length, this.#left);
      this.#left -= taken;
      this.#kept += taken;
      this.#dropped += length - taken;
      return taken;
    });
  }
}

export class Cutter extends Transform {
  readonly #take: (length: number) => number;
  kept = 0;
  dropped = 0;

  constructor(take: (length: number) => number) {
    super();
    this.#take = take;
  }

  override _transform(chunk: Buffer, _encoding: string, done: () => void): void {
    const taken = this.#take(chunk.length);
    this.kept += taken;
    this.dropped += chunk.length - taken;
    if (taken > 0) this.push(chunk.subarray(0, taken));
    done();
  }
}
