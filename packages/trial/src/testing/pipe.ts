import { Duplex } from "node:stream";

/** Rewrites what one end writes; bytes in flight are cut however they come. */
export type Tamper = (chunk: Buffer) => readonly Buffer[];

const UNTOUCHED: Tamper = (chunk) => [chunk];

/** Two ends of a byte pipe in memory, with back-pressure; what the second writes can be tampered with. */
export const pipePair = (tamper: Tamper = UNTOUCHED): readonly [Duplex, Duplex] => {
  const ours = new End(UNTOUCHED);
  const theirs = new End(tamper);
  ours.other = theirs;
  theirs.other = ours;
  return [ours, theirs];
};

class End extends Duplex {
  other: End | null = null;
  readonly #tamper: Tamper;
  #resume: (() => void) | null = null;

  constructor(tamper: Tamper) {
    super({ allowHalfOpen: true });
    this.#tamper = tamper;
    // A pipe that was cut is an ordinary end here.
    this.on("error", () => undefined);
  }

  override _read(): void {
    const resume = this.#resume;
    this.#resume = null;
    resume?.();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    setImmediate(() => {
      const { other } = this;
      if (other === null || other.destroyed || other.readableEnded) {
        done();
        return;
      }
      const wants = this.#tamper(chunk).map((piece) => other.push(piece));
      if (wants.every(Boolean)) done();
      else other.#resume = done;
    });
  }

  override _final(done: () => void): void {
    setImmediate(() => {
      if (this.other?.destroyed === false) this.other.push(null);
      done();
    });
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const { other } = this;
    setImmediate(() => {
      if (other !== null && !other.destroyed) other.destroy();
    });
    done(error);
  }
}
